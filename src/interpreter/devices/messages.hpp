// send() and recv() of a cell: what one device sends to another one is put where that one receives it, in the order in
// which both say so.
#pragma once

#include <cstdint>
#include <list>
#include <memory>

#include "arrays/operations.hpp"
#include "arrays/pointer.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"

namespace xcuda::interpreter {

class Messages : public Part {
 public:
  explicit Messages(Frame& frame) : Part(frame) {}

  void send(const FunctionCall& of);
  void receive(const FunctionCall& of);
  void finish();  // Error(value) where one is without its other half

 private:
  enum class Half : std::uint8_t { send, receive };
  // The half that came first.
  struct Message {
    Half half = Half::send;
    std::uint32_t from = 0, to = 0;
    Pointer array;
    std::shared_ptr<const arrays::Temporary> kept;  // what was sent, as it was then
    std::string text;                               // "send(x, 1)"
    cell::Span span;
  };
  Message message(Half half, const FunctionCall& of);
  void meet(Half half, const FunctionCall& of);
  void copy(const Message& receive, const Message& send);

  std::list<Message> waiting_;
};

}  // namespace xcuda::interpreter
