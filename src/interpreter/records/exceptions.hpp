// C++'s exceptions in statements: throw, and which handler an exception goes to.
//
// As in C++, whether a handler takes an exception is known before anything is unwound. One that no handler takes ends
// the cell as its error where it is thrown, and no destructor runs. Errors of the cell are not exceptions: no handler
// takes an interrupt, a fault of a device or a wrong type.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interpreter/frame.hpp"

namespace xcuda::interpreter {

class Exceptions : public Part {
 public:
  explicit Exceptions(Frame& frame) : Part(frame) {}

  struct Exception {
    std::string type;         // "int", "const char*", "struct std::runtime_error", "Stop"
    ItemPtr item;             // its value, which handlers refer to
    Place place;              // where it was thrown first
    mutable int flights = 0;  // how often it is on its way to a handler
  };
  using ExceptionPtr = std::shared_ptr<const Exception>;

  [[noreturn]] void raise(const cell::Call& call, cell::Span span);  // of throw x and throw;
  // What C++'s library throws where statements have an error of their own, which ends the cell if no handler takes it.
  struct OfLibrary {
    std::string_view type;  // "std::out_of_range"
    std::string what;       // as libstdc++ has it
  };
  [[noreturn]] void raise(Error error, OfLibrary thrown);

  // As libstdc++ says it: range_text("vector::_M_range_check: __n", 9, ">= this->size()", 3).
  static std::string range_text(std::string_view of, const language::ScalarValue& at, std::string_view limit,
                                std::size_t size);

  struct Caught {
    const cell::Handler* handler = nullptr;
    ExceptionPtr exception;
  };
  // Runs the block of a try; what a handler of it takes.
  template <class Run> std::optional<Caught> attempt(const cell::Try& tried, const Run& run);
  // Runs one, then the other, also when an exception passes that a handler takes.
  template <class Run, class Then> static auto finishing(const Run& run, const Then& then);
  // Whether what runs now is in the block of a try.
  bool is_watched() const { return !limits_.empty(); }

  // After a handler: the exception ends, unless it has been thrown again or another handler has it.
  void finish(const Caught& caught);
  // Whether C++ has const char* for a text: a literal, or what points to characters. Other texts are std::string.
  bool is_characters(const cell::Expression& expression);

  // What the name of a handler or a parameter is declared with; empty for other expressions.
  std::string declared_type(const cell::Expression& expression) const;

  // While a handler runs: its name, and what throw; throws again.
  class Handling {
   public:
    Handling(Exceptions& exceptions, const Caught& caught);  // in the handler's block
    ~Handling() { exceptions_.handled_.pop_back(); }
    Handling(const Handling&) = delete;
    Handling& operator=(const Handling&) = delete;

   private:
    Exceptions& exceptions_;
  };
  // While a function runs that lets no exception out: noexcept, or a destructor.
  class Closed {
   public:
    Closed(Exceptions& exceptions, const cell::HostFunction& function);
    ~Closed() {
      if (closes_) exceptions_.limits_.pop_back();
    }
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;

   private:
    Exceptions& exceptions_;
    bool closes_;
  };

 private:
  // On its way to the handler.
  struct Thrown {
    std::size_t to;  // which limit
    Caught caught;
  };
  // What an exception meets on its way out: a try, or a function that lets none out.
  struct Limit {
    const cell::Try* tried = nullptr;
    const cell::HostFunction* closed = nullptr;
  };
  class Watch;
  struct Handled {
    ExceptionPtr exception;
    const Variable* variable = nullptr;  // of the handler's name
    std::string type;                    // of the handler
  };
  // Throws what a handler takes, or gives the function that does not let it out.
  const cell::HostFunction* send(const ExceptionPtr& exception);
  bool takes(const cell::Handler& handler, const Exception& exception);
  bool is_base(const Exception& exception, const std::string& type);
  Exception exception_of(const cell::Expression& expression, cell::Span span);
  std::string enumeration_of(const cell::Expression& expression) const;
  bool gives_characters(const cell::Call& call);
  bool gives_characters(const cell::HostFunction& function);
  Error uncaught(const Exception& exception, const cell::HostFunction* closed, cell::Span span);
  void bind(const cell::Handler& handler, const Exception& exception);

  std::vector<Limit> limits_;
  std::vector<Handled> handled_;
};

class Exceptions::Watch {
 public:
  Watch(Exceptions& exceptions, const cell::Try& tried) : exceptions_(exceptions) {
    exceptions_.limits_.push_back({&tried, nullptr});
  }
  ~Watch() { exceptions_.limits_.pop_back(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  std::size_t number() const { return exceptions_.limits_.size() - 1; }

 private:
  Exceptions& exceptions_;
};

template <class Run> std::optional<Exceptions::Caught> Exceptions::attempt(const cell::Try& tried, const Run& run) {
  const Watch watch(*this, tried);
  const auto number = watch.number();
  try {
    run();
  } catch (const Thrown& thrown) {
    if (thrown.to != number) throw;
    --thrown.caught.exception->flights;
    return thrown.caught;
  }
  return std::nullopt;
}

template <class Run, class Then> auto Exceptions::finishing(const Run& run, const Then& then) {
  const auto unwinding = [&] {
    try {
      return run();
    } catch (const Thrown&) {
      then();
      throw;
    }
  };
  auto result = unwinding();
  then();
  return result;
}

}  // namespace xcuda::interpreter
