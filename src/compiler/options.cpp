#include "compiler/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"

namespace xcuda::compiler {
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::istringstream in{std::string(text)};
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

namespace {

// One-letter options whose value may follow at once: -DN=3, -Iinc, -O3, -lcurand.
constexpr std::string_view kJoined = "DUIOLlmx";

struct Match {
  const OptionSpec* spec = nullptr;
  std::string value;
  bool has_value = false;
};

Match match(std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return {};
  const auto equals = word.find('=');
  const auto name = word.substr(0, equals);
  const auto table = option_table();
  const auto exact = std::find_if(table.begin(), table.end(), [&](const OptionSpec& spec) {
    // nvcc and NVRTC take one dash or two for long names.
    return name == spec.name || name == spec.alias ||
           (name.size() > 3 && name[1] != '-' && spec.name.substr(1) == name);
  });
  if (exact != table.end()) {
    if (equals == std::string_view::npos) return {&*exact, "", false};
    return {&*exact, std::string(word.substr(equals + 1)), true};
  }
  if (word.size() > 2 && word[1] != '-' && kJoined.find(word[1]) != std::string_view::npos) {
    const auto letter = word.substr(0, 2);
    const auto joined =
        std::find_if(table.begin(), table.end(), [&](const OptionSpec& spec) { return spec.alias == letter; });
    // -l and -O take what looks like a value only, so that a misspelt long option is not one of them.
    const bool value_like = word[1] != 'O' || std::isdigit(static_cast<unsigned char>(word[2])) || word.size() == 3;
    if (joined != table.end() && value_like && (word[1] != 'm' || word.substr(2) == "64"))
      return {&*joined, std::string(word.substr(2)), true};
  }
  return {};
}

// Which values are in the next word when the option itself carries none. boolean and word values need '=' with NVRTC,
// but nvcc takes both, and so do we.
bool wants_value(const OptionSpec& spec) { return spec.value != OptionValue::none; }

[[noreturn]] void fail(std::size_t word, std::string message, std::string advice) {
  throw Error(ErrorKind::value, std::move(message))
      .advise(std::move(advice))
      .at(Place{.column = static_cast<int>(word) + 1});
}

bool virtual_or_real_architecture(std::string_view text) {
  for (const std::string_view prefix : {"sm_", "compute_"}) {
    if (!text.starts_with(prefix)) continue;
    const auto number = text.substr(prefix.size());
    const auto digits = number.find_first_not_of("0123456789");
    const auto suffix = digits == std::string_view::npos ? std::string_view() : number.substr(digits);
    const auto count = digits == std::string_view::npos ? number.size() : digits;
    return (count == 2 || count == 3) && (suffix.empty() || suffix == "a" || suffix == "f");
  }
  return false;
}

class OptionParser {
 public:
  explicit OptionParser(const OptionsRequest& request) : request_(request) {
    options_.architecture = request.architecture;
  }

  CompileOptions run() {
    for (at_ = 0; at_ < request_.words.size(); ++at_) option();
    return std::move(options_);
  }

 private:
  void option() {
    const auto& typed = request_.words[at_];
    auto found = match(typed);
    if (found.spec == nullptr) unknown(typed);
    const auto& spec = *found.spec;
    if (spec.use == OptionUse::refused) fail(at_, fmt::format("{} cannot be used here", typed), std::string(spec.help));
    if (wants_value(spec) && !found.has_value) {
      if (at_ + 1 >= request_.words.size()) fail(at_, fmt::format("{} needs a value", typed), usage(spec));
      found.value = request_.words[++at_];
    }
    if (!wants_value(spec) && found.has_value)
      fail(at_, fmt::format("{} takes no value", typed.substr(0, typed.find('='))), std::string(spec.help));
    check(spec, found.value, typed);
    apply(spec, found.value);
  }

  [[noreturn]] void unknown(const std::string& typed) {
    std::vector<std::string> names;
    for (const auto& spec : option_table()) {
      names.emplace_back(spec.name);
      names.emplace_back(spec.alias);
    }
    const auto name = typed.substr(0, typed.find('='));
    const auto near = nearest(name, names);
    fail(at_, fmt::format("unknown compiler option {}", name),
         near.empty() ? std::string("%help options lists them.") : fmt::format("Did you mean {}?", near));
  }

  static std::string usage(const OptionSpec& spec) {
    const char* value = spec.value == OptionValue::boolean  ? "true|false"
                        : spec.value == OptionValue::number ? "N"
                        : spec.value == OptionValue::folder ? "FOLDER"
                        : spec.value == OptionValue::file   ? "FILE"
                                                            : "VALUE";
    const auto choices = words_of(spec.choices);
    return fmt::format("Write {}={}. {}", spec.name,
                       choices.empty() ? std::string(value) : fmt::format("{}", fmt::join(choices, "|")), spec.help);
  }

  void check(const OptionSpec& spec, std::string& value, const std::string& typed) const {
    switch (spec.value) {
      case OptionValue::boolean:
        if (value != "true" && value != "false")
          fail(at_, fmt::format("{}: \"{}\" is neither true nor false", typed, value), usage(spec));
        break;
      case OptionValue::number:
        if (value.empty() || value.size() > 9 ||
            !std::all_of(value.begin(), value.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
          fail(at_, fmt::format("{}: \"{}\" is not a number", typed, value), usage(spec));
        break;
      case OptionValue::word: {
        auto choices = words_of(spec.choices);
        if (spec.name == "--std" && value.starts_with("gnu++")) value.replace(0, 5, "c++");
        if (spec.name == "--std" && (value == "c++98")) value = "c++03";
        if (std::find(choices.begin(), choices.end(), value) != choices.end()) break;
        const auto near = nearest(value, choices);
        fail(at_, fmt::format("{}: \"{}\" is not one of {}", spec.name, value, fmt::join(choices, ", ")),
             near.empty() ? std::string(spec.help) : fmt::format("Did you mean {}?", near));
      }
      default:
        if (value.empty() && wants_value(spec)) fail(at_, fmt::format("{} needs a value", typed), usage(spec));
    }
  }

  std::string absolute(const std::string& path) const {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const fs::path folder = request_.folder.empty() ? fs::current_path(ignored) : fs::path(request_.folder);
    return (folder / path).lexically_normal();
  }

  void apply(const OptionSpec& spec, const std::string& value) {
    if (spec.use == OptionUse::ignored) return;
    if (spec.use == OptionUse::translate) {
      add(std::string(spec.nvrtc));
    } else if (spec.use == OptionUse::pass) {
      // A repeated option counts with its last value, as in nvcc; lists add up.
      const auto prefix = fmt::format("{}=", spec.name);
      if (spec.value != OptionValue::none && spec.value != OptionValue::text) {
        auto& all = options_.nvrtc;
        all.erase(
            std::remove_if(all.begin(), all.end(), [&](const std::string& one) { return one.starts_with(prefix); }),
            all.end());
      }
      add(spec.value == OptionValue::none ? std::string(spec.name) : prefix + value);
    } else if (spec.alias == "-arch") {
      architecture(value);
    } else if (spec.alias == "-D") {
      const auto equals = value.find('=');
      options_.macros.emplace_back(value.substr(0, equals),
                                   equals == std::string::npos ? "1" : value.substr(equals + 1));
    } else if (spec.alias == "-U") {
      options_.undefined.push_back(value);
    } else if (spec.alias == "-I") {
      std::error_code ignored;
      const auto folder = absolute(value);
      if (!std::filesystem::is_directory(folder, ignored))
        fail(at_, fmt::format("-I: the folder {} does not exist", folder),
             "A relative folder starts at the kernel's working folder.");
      options_.include_folders.push_back(folder);
    } else if (spec.alias == "-include") {
      options_.include_files.push_back(value);
    } else if (spec.alias == "-pch") {
      options_.precompiled_headers = true;
    }
  }

  void architecture(const std::string& value) {
    if (value == "native") {
      options_.architecture = request_.architecture;
      return;
    }
    std::string text = value;
    // "90" and "8.0" are taken as what they mean.
    text.erase(std::remove(text.begin(), text.end(), '.'), text.end());
    if (!text.empty() && std::isdigit(static_cast<unsigned char>(text[0]))) text.insert(0, "sm_");
    if (!virtual_or_real_architecture(text))
      fail(at_, fmt::format("-arch: \"{}\" is not an architecture", value),
           "Write sm_80 or compute_80; without -arch, cells are compiled for the current device.");
    options_.architecture = text;
  }

  void add(std::string option) {
    if (std::find(options_.nvrtc.begin(), options_.nvrtc.end(), option) == options_.nvrtc.end())
      options_.nvrtc.push_back(std::move(option));
  }

  const OptionsRequest& request_;
  CompileOptions options_;
  std::size_t at_ = 0;
};

}  // namespace

const OptionSpec* find_option(std::string_view word) { return match(word).spec; }

CompileOptions parse_options(const OptionsRequest& request) { return OptionParser(request).run(); }

}  // namespace xcuda::compiler
