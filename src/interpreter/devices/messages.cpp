#include "interpreter/devices/messages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arrays/array_node.hpp"
#include "interpreter/devices/devices.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/launches/streams.hpp"

namespace xcuda::interpreter {

Messages::Message Messages::message(Half half, const FunctionCall& of) {
  frame_.streams.forbid_in_capture(of.row().name, of.span);
  const auto given = frame_.call_arguments.bound(of);
  const auto text = snippet(run_.source, given[0]->span);
  const auto value = evaluate(*given[0]);
  const auto* array = std::get_if<Pointer>(&value);
  if (array == nullptr || array->variable)
    throw error(ErrorKind::type, fmt::format("{}() takes an array or a part of one, got {}", of.row().name, text),
                given[0]->span);
  if (!is_contiguous(*array))
    throw error(ErrorKind::type, fmt::format("{}() takes elements in one piece, but {} has gaps", of.row().name, text),
                given[0]->span)
        .advise(fmt::format("Send a copy: auto piece = {};", text));
  if (half == Half::receive && array->read_only)
    throw error(ErrorKind::type, fmt::format("{} is const, but recv() writes to it", text), given[0]->span);
  const auto peer = frame_.devices.number_of(*given[1]), here = session_.chosen().order().current();
  Message message{half, here, peer, *array, {}, snippet(run_.source, of.span), of.span};
  if (half == Half::receive) std::swap(message.from, message.to);
  return message;
}

void Messages::copy(const Message& receive, const Message& send) {
  const auto count = count_of(receive.array.shape), sent = count_of(send.array.shape);
  if (count != sent || receive.array.type != send.array.type)
    throw error(ErrorKind::value,
                fmt::format("{} takes {} elements of {}, but {} on device {} sends {} of {}", receive.text, count,
                            receive.array.type.name, send.text, send.from, sent, send.array.type.name),
                receive.span);
  // The device that receives fetches it.
  const DeviceOrder::Use use(session_.chosen().order(), receive.to);
  session_.submission().copy(receive.array.address, send.kept ? send.kept->address() : send.array.address,
                             count * receive.array.type.size);
}

void Messages::meet(Half half, const FunctionCall& of) {
  auto message = this->message(half, of);
  const auto other = std::find_if(waiting_.begin(), waiting_.end(), [&](const Message& one) {
    return one.half != half && one.from == message.from && one.to == message.to;
  });
  if (other != waiting_.end()) {
    half == Half::send ? copy(*other, message) : copy(message, *other);
    waiting_.erase(other);
    return;
  }
  if (half == Half::send) {  // what comes later may change the array
    const auto bytes = count_of(message.array.shape) * message.array.type.size;
    message.kept = std::make_shared<const arrays::Temporary>(session_.operations().workspace(), bytes);
    session_.submission().copy(message.kept->address(), message.array.address, bytes);
  }
  waiting_.push_back(std::move(message));
}

void Messages::send(const FunctionCall& of) { meet(Half::send, of); }
void Messages::receive(const FunctionCall& of) { meet(Half::receive, of); }

void Messages::finish() {
  if (waiting_.empty()) return;
  const auto first = std::move(waiting_.front());
  waiting_.clear();
  if (first.half == Half::send)
    throw error(ErrorKind::value,
                fmt::format("device {} does not receive what {} on device {} sends", first.to, first.text, first.from),
                first.span)
        .advise(fmt::format("on ({}) {{ recv(y, {}); }} in the same cell receives it.", first.to, first.from));
  throw error(ErrorKind::value,
              fmt::format("device {} sends nothing for {} on device {}", first.from, first.text, first.to), first.span)
      .advise(fmt::format("on ({}) {{ send(x, {}); }} in the same cell sends it.", first.from, first.to));
}

}  // namespace xcuda::interpreter
