#include "tests/opcodes/isa_list.hpp"

namespace xcuda::opcodes {

const std::vector<Line>& isa_lines() {
  static const std::vector<Line> all = [] {
    List list;
    list_arithmetic(list);
    list_memory(list);
    list_control(list);
    return list.done();
  }();
  return all;
}

std::string isa_module(const Line& line) {
  return fmt::format(
      ".version 9.0\n.target sm_80\n.address_size 64\n{}\n"
      ".visible .entry listed(.param .u64 results, .param .u64 memory)\n{{\n"
      ".shared .align 128 .b8 box[4096];\n.local .align 16 .b8 mine[64];\n.reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg "
      ".b8 %r8a, %r8b;\n"
      ".reg .b32 %lane, %d, %s, %t<64>;\n.reg .f32 %f<32>;\n.reg .f64 %g<16>;\n.reg .b64 %m, %m0, %x<32>;\n.reg .b128 "
      "%q<4>;\n"
      ".loc 1 1 1\nld.param.u64 %x0, [results];\nld.param.u64 %m0, [memory];\nmov.u32 %lane, %tid.x;\nmov.u32 %d, "
      "0xdead;\n"
      "mad.wide.u32 %m, %lane, 64, %m0;\nmad.wide.u32 %x2, %lane, 4, %x0;\nmov.u32 %s, box;\nmad.lo.u32 %s, %lane, 64, "
      "%s;\n"
      ".loc 1 12 1\n{}\n.loc 1 13 1\nst.global.u32 [%x2], %d;\nret;\n}}\n.file 1 \"/In[7]\"\n",
      line.module, line.body);
}

}  // namespace xcuda::opcodes
