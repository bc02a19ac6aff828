#include "ptx/ptx_parser.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "base/error.hpp"
#include "ptx/source_places.hpp"

namespace xcuda::ptx {
namespace {

constexpr std::string_view head = ".version 8.0\n.target sm_80\n.address_size 64\n";

Module parse_module(std::string_view body) { return parse(std::string(head) + std::string(body), "In[7]"); }

// A module of one entry with 8 registers of each usual type.
Module parse_body(std::string_view body) {
  return parse_module(
      ".visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1)\n{\n.reg .pred %p<8>;\n.reg .b16 %rs<8>;\n"
      ".reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<8>;\n.reg .f64 %fd<8>;\n" +
      std::string(body) + "\nret;\n}\n.file 1 \"/In[7]\"\n");
}

std::vector<std::string> texts(const Module& module) {
  const Function& function = *module.find_function("k");
  std::vector<std::string> all;
  for (const Instruction& instruction : function.instructions) all.push_back(text_of(module, function, instruction));
  all.pop_back();  // the ret of parse_body
  return all;
}

std::string one(std::string_view instruction) {
  const std::vector<std::string> all = texts(parse_body(instruction));
  return all.size() == 1 ? all[0] : "not one instruction";
}

Error error_of(std::string_view text) {
  try {
    parse(text, "In[7]");
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorKind::internal, "there was no error");
}

Error body_error(std::string_view body) {
  try {
    parse_body(body);
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorKind::internal, "there was no error");
}

TEST(PtxParser, ReadsTheHead) {
  const Module module = parse_module("");
  EXPECT_EQ(module.version_major, 8);
  EXPECT_EQ(module.version_minor, 0);
  EXPECT_EQ(module.target, "sm_80");
  EXPECT_EQ(module.address_size, 64);
}

TEST(PtxParser, LaysOutParameters) {
  const Module module = parse_module(
      ".visible .entry k(.param .u8 a, .param .align 16 .b8 s[20], .param .u64 .ptr .global .align 4 p, .param .f32 f)"
      ".maxntid 256, 2\n.minnctapersm 3\n{ ret; }");
  const Function& k = module.functions.at(0);
  EXPECT_TRUE(k.entry);
  EXPECT_TRUE(k.defined);
  EXPECT_EQ(k.linkage, Linkage::visible);
  ASSERT_EQ(k.parameters.size(), 4u);
  EXPECT_EQ(k.parameters[1].offset, 16u);
  EXPECT_EQ(k.parameters[1].size, 20u);
  EXPECT_TRUE(k.parameters[1].array);
  EXPECT_EQ(k.parameters[2].offset, 40u);
  EXPECT_EQ(k.parameters[3].offset, 48u);
  EXPECT_EQ(k.parameter_bytes, 52u);
  EXPECT_EQ(k.max_threads, (std::array<std::uint32_t, 3>{256, 2, 1}));
  EXPECT_EQ(k.min_blocks, 3u);
}

TEST(PtxParser, ReadsOperandsOfEveryKind) {
  EXPECT_EQ(one("ld.global.v4.f32 {%f0, %f1, _, %f3}, [%rd1+16];"), "ld.global.v4.f32 {%f0, %f1, _, %f3}, [%rd1+16]");
  EXPECT_EQ(one("ld.global.f32 %f0, [%rd1+-16];"), "ld.global.f32 %f0, [%rd1-16]");
  EXPECT_EQ(one("ld.param.u64 %rd1, [k_param_0];"), "ld.param.u64 %rd1, [k_param_0]");
  EXPECT_EQ(one("mov.f32 %f1, 0f3F800000;"), "mov.f32 %f1, 0f3F800000");
  EXPECT_EQ(one("mov.f64 %fd1, 0d3FE0000000000000;"), "mov.f64 %fd1, 0d3FE0000000000000");
  EXPECT_EQ(one("mov.u32 %r1, -0x10;"), "mov.u32 %r1, -16");
  EXPECT_EQ(one("mov.u32 %r1, 0X1FU;"), "mov.u32 %r1, 31");
  EXPECT_EQ(one("mov.u32 %r1, 010;"), "mov.u32 %r1, 8");
  EXPECT_EQ(one("mov.u32 %r1, 0b101;"), "mov.u32 %r1, 5");
  EXPECT_EQ(one("mov.u32 %r1, WARP_SZ;"), "mov.u32 %r1, 32");
  EXPECT_EQ(one("mov.u32 %r1, %ctaid.y;"), "mov.u32 %r1, %ctaid.y");
  EXPECT_EQ(one("mov.u32 %r1, %envreg2;"), "mov.u32 %r1, %envreg2");
  EXPECT_EQ(one("mov.u64 %rd1, %clock64;"), "mov.u64 %rd1, %clock64");
  EXPECT_EQ(one("shfl.sync.up.b32 %r1|%p2, %r3, %r4, 0, -1;"), "shfl.sync.up.b32 %r1|%p2, %r3, %r4, 0, -1");
  EXPECT_EQ(one("bar.red.and.pred %p1, 0, !%p2;"), "bar.red.and.pred %p1, 0, !%p2");
  EXPECT_EQ(one("@!%p3 st.shared.u32 [64], 1;"), "@!%p3 st.shared.u32 [64], 1");
  EXPECT_EQ(one("tex.2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [%rd1, {%r1, %r2}];"),
            "tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd1], {%r1, %r2}");
}

TEST(PtxParser, SplitsOpcodeModifiersAndTypes) {
  const Module module = parse_body("cvt.rn.ftz.f32.s32 %f1, %r1;\nld.volatile.shared.v2.u16 {%rs1, %rs2}, [%rd1];");
  const Function& k = module.functions.at(0);
  const Instruction& convert = k.instructions.at(0);
  EXPECT_EQ(convert.opcode, Opcode::cvt);
  EXPECT_EQ(convert.find(Category::rounding), Modifier::rn);
  EXPECT_TRUE(convert.has(Modifier::ftz));
  EXPECT_FALSE(convert.has(Modifier::sat));
  EXPECT_EQ(convert.type_count, 2);
  EXPECT_EQ(convert.types[0], Type::f32);
  EXPECT_EQ(convert.types[1], Type::s32);
  EXPECT_EQ(convert.outputs, 1);
  const Instruction& load = k.instructions.at(1);
  EXPECT_EQ(load.space, Space::shared);
  EXPECT_EQ(load.vector, 2);
  EXPECT_EQ(load.find(Category::order), Modifier::volatile_);
}

TEST(PtxParser, OperandsNeedNoBlankBeforeThem) {
  EXPECT_EQ(one("mov.u32%r1, %laneid;"), one("mov.u32 %r1, %laneid;"));
  EXPECT_EQ(one("add.s32%r1,%r2,%r3;"), one("add.s32 %r1, %r2, %r3;"));
  EXPECT_EQ(one("mov.u32%r1,%tid.x;"), one("mov.u32 %r1, %tid.x;"));
}

TEST(PtxParser, OutputsDependOnTheOperation) {
  const Module module = parse_body(
      "bar.sync 0;\nbar.red.popc.u32 %r1, 0, %p1;\nmbarrier.init.shared.b64 [%rd1], 32;\n"
      "mbarrier.arrive.shared.b64 %rd2, [%rd1];\nst.global.u32 [%rd1], %r1;\natom.global.add.u32 %r1, [%rd1], 1;\n"
      "red.global.add.u32 [%rd1], 1;");
  std::vector<int> outputs;
  for (const Instruction& instruction : module.functions[0].instructions) outputs.push_back(instruction.outputs);
  EXPECT_EQ(outputs, (std::vector<int>{0, 1, 0, 1, 0, 1, 0, 0}));
}

TEST(PtxParser, RegistersAreDenseAndKnowTheirNames) {
  const Module module = parse_body("add.s32 %r1, %r2, %r7;");
  const Function& k = module.functions[0];
  const Register reg = k.operands_of(k.instructions[0])[2].reg;
  EXPECT_EQ(k.registers.at(reg), Type::b32);
  EXPECT_EQ(k.register_name(reg), "%r7");
  EXPECT_EQ(k.registers.size(), 48u);
  EXPECT_NE(body_error("add.s32 %r1, %r2, %r8;").message.find("`%r8` is not declared"), std::string::npos);
  EXPECT_NE(body_error("add.s32 %r1, %r2, %r01;").message.find("`%r01` is not declared"), std::string::npos);
}

TEST(PtxParser, InlineAssemblyScopesRename) {
  const Module module = parse_body(
      "{ .reg .s32 r0; .reg .pred p; shfl.sync.up.b32 r0|p, %r1, %r2, 0, -1; @p add.s32 r0, r0, %r1; mov.s32 %r3, "
      "r0;}\n"
      "{ .reg .u32 r0; mov.u32 r0, 1; { .reg .f32 r0; mov.f32 r0, 0f00000000; } add.u32 r0, r0, r0; }");
  const Function& k = module.functions[0];
  const auto reg = [&](int instruction) { return k.operands_of(k.instructions[instruction])[0].reg; };
  EXPECT_EQ(reg(0), reg(1));
  EXPECT_NE(reg(0), reg(3));
  EXPECT_NE(reg(3), reg(4));
  EXPECT_EQ(reg(3), reg(5));
  EXPECT_EQ(k.registers[reg(4)], Type::f32);
  EXPECT_TRUE(k.instructions[1].guarded());
  EXPECT_EQ(k.register_name(k.instructions[1].guard), "p");
}

TEST(PtxParser, LabelsBelongToTheirScope) {
  const Module module =
      parse_body("bra DONE;\n{ WAIT: bra WAIT; bra DONE; }\n{ WAIT: bra WAIT; }\nDONE: mov.u32 %r1, 0;");
  const Function& k = module.functions[0];
  const auto target = [&](int i) { return k.labels[k.operands_of(k.instructions[i])[0].index].instruction; };
  EXPECT_EQ(target(0), 4u);
  EXPECT_EQ(target(1), 1u);
  EXPECT_EQ(target(2), 4u);
  EXPECT_EQ(target(3), 3u);
  EXPECT_NE(body_error("{ INNER: ret; }\nbra INNER;").message.find("label `INNER` is not declared"), std::string::npos);
}

TEST(PtxParser, Calls) {
  const Module module = parse_module(
      ".extern .func (.param .b32 r) f (.param .b64 a, .param .b32 b);\n"
      ".visible .entry k() {\n.reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
      "{ .param .b64 param0; st.param.b64 [param0+0], %rd1; .param .b32 param1; .param .b32 retval0;\n"
      "call.uni (retval0), f, (param0, param1); ld.param.b32 %r1, [retval0+0]; }\n"
      "{ .param .b32 param0; .param .b32 retval0; p1 : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
      "call (retval0), %rd2, (param0), p1; }\nret; }");
  const Function& k = *module.find_function("k");
  ASSERT_EQ(k.calls.size(), 2u);
  EXPECT_EQ(module.functions[k.calls[0].callee.index].name, "f");
  EXPECT_EQ(k.calls[0].arguments.size(), 2u);
  EXPECT_EQ(k.arguments[k.calls[0].arguments[1].index].name, "param1");
  EXPECT_EQ(k.calls[1].callee.kind, Operand::Kind::reg);
  ASSERT_EQ(k.prototypes.size(), 1u);
  EXPECT_EQ(k.calls[1].prototype, 0u);
  EXPECT_EQ(k.prototypes[0].parameters.size(), 1u);
  EXPECT_EQ(text_of(module, k, k.instructions[1]), "call.uni (retval0), f, (param0, param1)");
}

TEST(PtxParser, BranchTables) {
  const Module module =
      parse_body("ts: .branchtargets A, B;\nbrx.idx %r1, ts;\nA: mov.u32 %r1, 0;\nB: mov.u32 %r1, 1;");
  const Function& k = module.functions[0];
  ASSERT_NE(k.instructions[0].targets, kNoIndex);
  EXPECT_EQ(k.target_lists[k.instructions[0].targets], (std::vector<Index>{0, 1}));  // by Function::labels
}

std::vector<int> bytes_of(const Variable& variable) {
  std::vector<int> bytes;
  for (const std::byte b : variable.initial) bytes.push_back(static_cast<int>(b));
  return bytes;
}

TEST(PtxParser, Initialisers) {
  const Module module = parse_module(
      ".global .align 4 .b8 a[6] = {1, -1, 0xFF,\n 255, 010};\n"
      ".const .align 8 .f64 d[2] = {0d3FF0000000000000, -1.5};\n"
      ".global .u32 n = -2;\n.global .f32 f[2] = {0f40000000, 0.5};\n.shared .align 16 .b8 s[64];\n"
      ".extern .shared .align 16 .b8 dynamic[];\n.global .u16 m[2][2] = {{1, 2}, {3, 4}};\n"
      ".global .align 8 .u64 p[3] = {generic(a)+2, a, late};\n.global .u32 late;\n.global .b8 u[] = {1, 2, 3};");
  EXPECT_EQ(bytes_of(*module.find_variable("a")), (std::vector<int>{1, 255, 255, 255, 8}));
  EXPECT_EQ(module.find_variable("a")->size, 6u);
  double d[2];
  std::memcpy(d, module.find_variable("d")->initial.data(), 16);
  EXPECT_EQ(d[0], 1.0);
  EXPECT_EQ(d[1], -1.5);
  EXPECT_EQ(module.find_variable("d")->space, Space::constant);
  EXPECT_EQ(bytes_of(*module.find_variable("n")), (std::vector<int>{0xFE, 0xFF, 0xFF, 0xFF}));
  float f[2];
  std::memcpy(f, module.find_variable("f")->initial.data(), 8);
  EXPECT_EQ(f[0], 2.0f);
  EXPECT_EQ(f[1], 0.5f);
  EXPECT_EQ(module.find_variable("s")->space, Space::shared);
  EXPECT_TRUE(module.find_variable("s")->initial.empty());
  EXPECT_TRUE(module.find_variable("dynamic")->unsized);
  EXPECT_EQ(bytes_of(*module.find_variable("m")), (std::vector<int>{1, 0, 2, 0, 3, 0, 4, 0}));
  const Variable& p = *module.find_variable("p");
  ASSERT_EQ(p.relocations.size(), 3u);
  EXPECT_TRUE(p.relocations[0].generic);
  EXPECT_EQ(p.relocations[0].addend, 2);
  EXPECT_EQ(p.relocations[1].offset, 8u);
  EXPECT_EQ(module.variables[p.relocations[2].symbol.index].name, "late");
  EXPECT_EQ(module.find_variable("u")->size, 3u);
}

TEST(PtxParser, LongInitialisersKeepTheLineCount) {
  std::string text = ".global .align 4 .b32 t[5000] = {";
  for (int i = 0; i < 5000; ++i) text += std::to_string(i) + (i % 10 == 9 ? ",\n" : ",");
  text.resize(text.rfind(','));
  text += "};\n.global .u32 behind = 7;";
  const Module module = parse_module(text);
  std::uint32_t last = 0;
  std::memcpy(&last, module.find_variable("t")->initial.data() + 4 * 4999, 4);
  EXPECT_EQ(last, 4999u);
  EXPECT_EQ(module.find_variable("behind")->line, 504u);
}

TEST(PtxParser, TooManyInitialValues) {
  const Error error = error_of(std::string(head) + ".global .b8 a[2] = {1, 2, 3};");
  EXPECT_EQ(error.kind, ErrorKind::compile);
  EXPECT_NE(error.message.find("too many initial values"), std::string::npos);
}

TEST(PtxParser, AnUnknownInstructionNamesItselfTheKernelAndTheLine) {
  const Error error = body_error(".loc 1 4 9\nfrobnicate.f32 %f1, %f2;");
  EXPECT_EQ(error.kind, ErrorKind::compile);
  EXPECT_NE(error.message.find("unknown instruction `frobnicate.f32`"), std::string::npos);
  EXPECT_NE(error.message.find("In[7]"), std::string::npos);
  EXPECT_NE(error.message.find("`k`"), std::string::npos);
  EXPECT_NE(error.message.find("line 13 of the PTX"), std::string::npos);
  EXPECT_EQ(error.library, "PTX line 13: frobnicate.f32 %f1, %f2;");
  ASSERT_TRUE(error.place.has_value());
  EXPECT_EQ(error.place->source, "In[7]");
  EXPECT_EQ(error.place->line, 4);
  EXPECT_EQ(error.place->column, 9);
}

TEST(PtxParser, WrongInputIsAnError) {
  const auto says = [](const Error& error, std::string_view text) {
    EXPECT_EQ(error.kind, ErrorKind::compile) << error.message;
    EXPECT_NE(error.message.find(text), std::string::npos) << error.message;
  };
  says(error_of(""), "no `.target`");
  says(error_of("hello"), "expected a directive");
  says(error_of(".version 8.0\n.target sm_80\n.address_size 32\n"), "32 bits");
  says(error_of(std::string(head) + ".visible .entry k() {"), "expected `}`");
  says(error_of(std::string(head) + ".visible .entry k() { ret; } .visible .entry k() { ret; }"), "defined twice");
  says(error_of(std::string(head) + ".extern .global .u32 elsewhere;"), "no other module can define it");
  says(error_of(std::string(head) + ".global .align 3 .u32 x;"), "alignment 3 is not a power of two");
  says(body_error("add.wat.s32 %r1, %r2, %r3;"), "unknown modifier `.wat`");
  says(body_error("mov.u64 %rd1, nowhere;"), "`nowhere` is not declared");
  says(body_error("call nowhere;"), "`nowhere` is not declared");
  says(body_error("bra nowhere;"), "label `nowhere` is not declared");
  says(body_error("add.s32 %r1, %r2, %r3"), "expected `;`");
  says(body_error("@%r1;"), "an instruction after a guard");
  says(body_error(".reg .b32 %r<4000000000>;"), "at most");
  says(body_error("ld.global.u32 %r1, [%rd1;"), "expected `]`");
  says(body_error(std::string(10000, '{')), "nested deeper than 256 levels");
}

TEST(Places, FollowInlining) {
  const Module module = parse_module(
      ".visible .entry k() {\n.reg .b32 %r<2>;\n.loc 1 5 17\n.loc 2 518 5, function_name $L__info_string0, inlined_at "
      "1 5 17\n"
      ".loc 3 124 9, function_name $L__info_string1, inlined_at 2 518 5\nmov.u32 %r1, 0;\n.loc 1 0 3\nmov.u32 %r1, "
      "1;\nret;\n}\n"
      ".file 1 \"/In[7]\"\n.file 2 \"/cub/block_reduce.cuh\"\n.file 3 \"/cub/warp.cuh\"\n"
      ".section .debug_str\n{\n$L__info_string0:\n.b8 83,117,109,0\n$L__info_string1:\n.b8 87,\n97,0\n}\n");
  const Function& k = module.functions[0];
  const std::vector<Place> chain = places(module, k.instructions[0].location);
  ASSERT_EQ(chain.size(), 3u);
  EXPECT_EQ(chain[0].source, "/cub/warp.cuh");
  EXPECT_EQ(chain[0].line, 124);
  EXPECT_EQ(chain[2].source, "In[7]");
  EXPECT_EQ(chain[2].line, 5);
  EXPECT_EQ(place_of(module, k, 0).source, "In[7]");
  EXPECT_EQ(place_of(module, k, 0).column, 17);
  EXPECT_EQ(place_of(module, k, 1).line, 5);  // line 0 takes that before it
  EXPECT_EQ(module.strings[module.locations[k.instructions[0].location].function], "Wa");
}

TEST(Parser, DeclarationsAreReadWithoutBodies) {
  const std::string text =
      ".version 8.8\n.target sm_90a\n.address_size 64\n.visible .global .align 4 .u32 counter = 7;\n"
      ".visible .entry k(.param .u64 p, .param .f32 a) { { wgmma.fence.sync.aligned; } .pragma \"}\"; unheard.of %r1, "
      "{%r2}; ret; }\n"
      ".visible .entry l() { ret; }\n";
  EXPECT_THROW(parse(text, "In[1]"), Error);
  const auto module = parse_declarations(text, "In[1]");
  ASSERT_EQ(module.functions.size(), 2u);
  EXPECT_EQ(module.functions[0].name, "k");
  ASSERT_EQ(module.functions[0].parameters.size(), 2u);
  EXPECT_EQ(module.functions[0].parameters[1].offset, 8u);
  EXPECT_TRUE(module.functions[1].defined);
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_EQ(module.variables[0].name, "counter");
  EXPECT_EQ(text.substr(module.functions[1].begin, module.functions[1].end - module.functions[1].begin),
            ".visible .entry l() { ret; }");
  EXPECT_EQ(module.functions[1].line, 6u);
  EXPECT_THROW(parse_declarations(text.substr(0, text.rfind("ret")), "In[1]"), Error);
}

// What only a driver knows stops no query.
TEST(Parser, DeclarationsPassOverNewDirectives) {
  const std::string text =
      ".version 99.0\n.target sm_999\n.address_size 64\n.novelty 3, word { .b8 1 } ;\n"
      ".extern .global .align 4 .u32 elsewhere;\n"
      ".visible .entry k(.param .u64 p) .maxntid 8, 4 .novelty 1, 2 { /* } */ // }\n ret; }\n";
  EXPECT_THROW(parse(text, "In[1]"), Error);
  const auto module = parse_declarations(text, "In[1]");
  ASSERT_EQ(module.functions.size(), 1u);
  EXPECT_EQ(module.functions[0].max_threads[1], 4u);
  EXPECT_EQ(module.variables.size(), 1u);
}

TEST(Parser, AnEntryIsReadAlone) {
  const std::string text =
      ".version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p) { not a; body }\n"
      ".visible .entry l(.param .u64 p) { .reg .b64 %rd<2>; .novelty x; unheard.of %rd1, {9}; ld.new.u64 %rd1, [p];\n"
      "mov.u64 %rd1, %novelty; st.global.b64 [%rd1], 5; ret; }\n";
  EXPECT_THROW(parse(text, "In[1]"), Error);
  const auto module = parse_entry(text, "In[1]", "l");
  EXPECT_TRUE(module.functions[0].instructions.empty());
  const auto& l = module.functions[1];
  ASSERT_EQ(l.instructions.size(), 5u);
  EXPECT_EQ(l.instructions[0].opcode, Opcode::unknown);
  EXPECT_EQ(l.instructions[1].opcode, Opcode::unknown);
  EXPECT_EQ(text_of(module, l, l.instructions[2]), "mov.u64 %rd1, _");
  EXPECT_EQ(text_of(module, l, l.instructions[3]), "st.global.b64 [%rd1], 5");
}

TEST(PtxParser, SpellsTypesWhereTheyStand) {
  EXPECT_EQ(one("sust.b.2d.v2.b32.trap [%rd1, {%r1, %r2}], {%r3, %r4};"),
            "sust.b.2d.v2.b32.trap [%rd1], {%r1, %r2}, {%r3, %r4}");
  EXPECT_EQ(one("vadd.u32.u32.u32.sat.add %r1, %r2, %r3, %r4;"), "vadd.u32.u32.u32.sat.add %r1, %r2, %r3, %r4");
}

}  // namespace
}  // namespace xcuda::ptx
