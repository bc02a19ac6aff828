// Host modules: every device runs their functions in its own process, and survives what they do there.
#include <cstring>

#include "tests/contract/rig.hpp"
#include "tests/places.hpp"

namespace xcuda::device::contract {
namespace {

class HostModule : public Contract {
 protected:
  void SetUp() override {
    Contract::SetUp();
    if (IsSkipped()) return;
    module_ = device().load_host_module(sample(7));
    if (auto recovered = device().take_fault()) {
      EXPECT_TRUE(supervised());
      EXPECT_TRUE(recovered->recovery && recovered->recovery->complete());
    }
  }

  static HostModuleImage sample(std::uint32_t id) {
    return {ModuleId{id}, "In[7]", test::program_file("libhost_module_sample.so")};
  }
  const HostFunctionInfo& function(const std::string& name) { return module_.functions.at(index(name)); }
  std::uint32_t index(const std::string& name) {
    for (std::uint32_t i = 0; i < module_.functions.size(); ++i)
      if (module_.functions[i].name == name) return i;
    ADD_FAILURE() << "no function " << name;
    return 0;
  }

  template <class T> static HostArgument value(const T& of, HostArgument::Kind kind = HostArgument::Kind::value) {
    HostArgument argument{.kind = kind};
    argument.bytes.resize(sizeof of);
    std::memcpy(argument.bytes.data(), &of, sizeof of);
    return argument;
  }
  static HostArgument text(const std::string& of) {
    HostArgument argument{.kind = HostArgument::Kind::memory};
    const auto* const bytes = reinterpret_cast<const std::byte*>(of.c_str());
    argument.bytes.assign(bytes, bytes + of.size() + 1);
    return argument;
  }
  HostCall request(const std::string& name, std::vector<HostArgument> arguments) {
    HostCall call{.number = ++number_, .module = ModuleId{7}, .function = index(name)};
    call.arguments = std::move(arguments);
    call.result_size = function(name).result.size;
    return call;
  }
  std::uint64_t post(const std::string& name, std::vector<HostArgument> arguments) {
    const auto call = request(name, std::move(arguments));
    device().post_host_call(call);
    return call.number;
  }
  template <class T> T result(std::uint64_t at = 0) {
    T value{};
    std::memcpy(&value, device().staging().data() + at, sizeof value);
    return value;
  }
  template <class T> T call(const std::string& name, std::vector<HostArgument> arguments) {
    post(name, std::move(arguments));
    finish_well();
    return result<T>();
  }

  HostModuleInfo module_;
  std::uint64_t number_ = 100;
};

INSTANTIATE_TEST_SUITE_P(Device, HostModule, testing::ValuesIn(contract_devices()),
                         [](const auto& info) { return info.param.name; });

TEST_P(HostModule, SaysItsFunctions) {
  ASSERT_EQ(module_.functions.size(), 10u);
  const auto& add = function("demo::add");
  EXPECT_EQ(add.result.name, "int");
  EXPECT_EQ(add.parameter_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(add.parameters[1].passing, Passing::value);
  EXPECT_TRUE(add.can_be_called);
  const auto& swap = function("swap_parts");
  EXPECT_EQ(swap.result.name, "void");
  EXPECT_EQ(swap.parameters[0].name, "Pair");
  EXPECT_EQ(swap.parameters[0].passing, Passing::reference);
  EXPECT_EQ(swap.parameters[0].size, 16u);
  EXPECT_EQ(swap.parameter_names[1], "");
  EXPECT_EQ(function("length").parameters[0].passing, Passing::pointer_to_const);
  EXPECT_EQ(function("crash").parameters[0].name, "int");
  EXPECT_EQ(function("is_default").parameters[0].passing, Passing::stream);
  EXPECT_FALSE(function("no_value").can_be_called);
}

TEST_P(HostModule, GivesResults) {
  EXPECT_EQ(call<int>("demo::add", {value(40), value(2)}), 42);
  EXPECT_EQ(call<std::size_t>("length", {text("seven..")}), 7u);
  EXPECT_EQ(call<int>("next", {}), 1);
  EXPECT_EQ(call<int>("next", {}), 2);
}

TEST_P(HostModule, WritesWhatItIsGivenByReference) {
  struct Pair {
    int first;
    double second;
  };
  const auto made = request(
      "swap_parts", {value(Pair{3, 4.5}, HostArgument::Kind::reference), value(2.0f, HostArgument::Kind::reference)});
  device().post_host_call(made);
  finish_well();
  const HostResults places(made);
  EXPECT_EQ(result<Pair>(places.references()[0]).first, 4);
  EXPECT_EQ(result<Pair>(places.references()[0]).second, 3.0);
  EXPECT_EQ(result<float>(places.references()[1]), -2.0f);
}

TEST_P(HostModule, KnowsStreams) {
  device().create_stream(StreamId{5});
  EXPECT_TRUE(call<bool>("is_default", {{.kind = HostArgument::Kind::stream}}));
  if (info().kind != Kind::fake) {
    EXPECT_FALSE(call<bool>("is_default", {{.kind = HostArgument::Kind::stream, .stream = StreamId{5}}}));
  }
}

TEST_P(HostModule, RunsInTheOrderOfPosts) {
  const auto memory = add_memory(0);
  fill(memory, 4, 7);
  EXPECT_EQ(call<int>("next", {}), 1);
  fill(memory, 2, 8);
  EXPECT_EQ(read<std::uint32_t>(memory, 4), (std::vector<std::uint32_t>{8, 8, 7, 7}));
}

TEST_P(HostModule, NamesExceptions) {
  const auto number = post("raise", {value(3)});
  const auto completion = finish();
  ASSERT_EQ(completion.refused.size(), 1u);
  EXPECT_FALSE(completion.fault);
  EXPECT_EQ(completion.refused[0].number, number);
  EXPECT_EQ(completion.refused[0].thrown, "std::out_of_range");
  EXPECT_EQ(completion.refused[0].library, "code 3");
  post("raise", {value(0)});
  EXPECT_FALSE(finish().refused.at(0).thrown.empty());
  EXPECT_EQ(call<int>("next", {}), 1);
}

TEST_P(HostModule, RefusesWhatDoesNotFit) {
  const auto refused = [&](const HostCall& call) {
    device().post_host_call(call);
    const auto completion = finish();
    return completion.refused.size() == 1 && completion.refused[0].number == call.number &&
           completion.refused[0].thrown.empty();
  };
  EXPECT_TRUE(refused(request("demo::add", {value(1)})));
  EXPECT_TRUE(refused(request("demo::add", {value(1), value(2.0)})));
  EXPECT_TRUE(refused(request("demo::add", {value(1), {.kind = HostArgument::Kind::stream}})));
  EXPECT_TRUE(refused(request("no_value", {value(1)})));
  auto other = request("next", {});
  other.function = 99;
  EXPECT_TRUE(refused(other));
  other.module = ModuleId{8};
  EXPECT_TRUE(refused(other));
  EXPECT_THROW(device().load_host_module(sample(7)), Error);
  EXPECT_THROW(device().load_host_module({ModuleId{9}, "In[9]", "/nowhere/module.so"}), Error);
  EXPECT_THROW(device().unload_host_module(ModuleId{9}), Error);
  EXPECT_EQ(call<int>("next", {}), 1);
}

TEST_P(HostModule, EndsWhenItIsUnloaded) {
  device().unload_host_module(ModuleId{7});
  post("next", {});
  EXPECT_EQ(finish().refused.size(), 1u);
  device().load_host_module(sample(7));
  EXPECT_EQ(call<int>("next", {}), 1);
}

TEST_P(HostModule, BeginsAnewWhenItsFileIsLoadedOnceMore) {
  if (has_process() && !supervised()) GTEST_SKIP() << "in its sandbox a process cannot copy the file";
  EXPECT_EQ(call<int>("next", {}), 1);
  device().load_host_module(sample(8));
  auto other = request("next", {});
  other.module = ModuleId{8};
  for (const int n : {1, 2}) {
    device().post_host_call(other);
    finish_well();
    EXPECT_EQ(result<int>(), n);
  }
  EXPECT_EQ(call<int>("next", {}), 2);
  device().unload_host_module(ModuleId{8});
}

TEST_P(HostModule, Prints) {
  if (!has_process()) GTEST_SKIP() << "the test's own output";
  post("say", {text("from a module")});
  finish_well();
  EXPECT_NE(output_.find("from a module\n"), std::string::npos) << output_;
}

TEST_P(HostModule, CostsItsProcessAtMost) {
  if (!supervised()) GTEST_SKIP() << "nobody replaces it";
  const auto memory = add_memory(0);
  fill(memory, 4, 7);
  EXPECT_EQ(call<int>("next", {}), 1);
  for (const auto& [name, argument] :
       {std::pair("crash", value<std::uint64_t>(0)), std::pair("leave", value(0)), std::pair("leave", value(3))}) {
    const auto number = post(name, {argument});
    const auto completion = finish();
    ASSERT_TRUE(completion.fault && completion.recovery) << name;
    EXPECT_TRUE(completion.recovery->complete());
    EXPECT_EQ(completion.fault->launches, std::vector<std::uint64_t>{number});
    EXPECT_EQ(read<std::uint32_t>(memory, 4), std::vector<std::uint32_t>(4, 7));
    EXPECT_EQ(call<int>("next", {}), 1) << "the module is loaded again, with new variables";
  }
}

}  // namespace
}  // namespace xcuda::device::contract
