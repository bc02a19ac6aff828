#include "files/serve_files.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/host_memory.hpp"
#include "base/sanitizers.hpp"
#include "base/shared_memory.hpp"
#include "compiler/compiler_codec.hpp"
#include "files/array_file.hpp"
#include "files/facts_message.hpp"
#include "files/module_file.hpp"

namespace xcuda::files {
namespace {

// A file that asks for all memory ends this process, and one that makes it write writes nothing.
void bound_process() {
  const auto bound = [](__rlimit_resource resource, rlim_t most) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0) return;
    limit.rlim_cur = std::min(limit.rlim_cur, most);
    limit.rlim_max = limit.rlim_cur;
    setrlimit(resource, &limit);
  };
  bound(RLIMIT_CORE, 0);
  bound(RLIMIT_FSIZE, 0);
  if constexpr (kAddressSanitizer) return;  // its shadow, terabytes of addresses, counts too
  const auto memory = host_memory();
  if (memory.total == 0) return;  // not known
  bound(RLIMIT_DATA, memory.available / 2);
  // Files are mapped whole, and one that is larger than all memory can be no array.
  bound(RLIMIT_AS, memory.total + (rlim_t{1} << 30));
}

class Server {
 public:
  explicit Server(Channel& channel) : channel_(channel) { bound_process(); }

  void run() {
    while (auto message = channel_.receive()) {
      if (message->head.value("verb", "") == "buffer") {
        buffer_ = SharedMapping(message->files.at(0), message->head.at("bytes").get<std::size_t>());
        continue;
      }
      channel_.send(guarded([&] { return answer(*message); }));
      // Reads ahead while the session takes the answer. Errors are reported when it asks for more.
      if (array_ && left_ > 0 && !ahead_) ahead_ = guarded([&] { return fill(); });
    }
  }

 private:
  template <class Work> static Message guarded(const Work& work) {
    const auto failure = [](const Error& error) {
      return Message{.head = {{"error", compiler::to_json(error)}}, .body = {}, .files = {}};
    };
    try {
      return work();
    } catch (const Error& error) {
      return failure(error);
    } catch (const std::bad_alloc&) {
      return failure(Error(ErrorKind::memory, "not enough memory to decode the file"));
    } catch (const std::exception& error) {
      return failure(Error(ErrorKind::internal, "unexpected error in the process that reads files").said(error.what()));
    }
  }

  Message answer(Message& message) {
    const auto verb = message.head.value("verb", "");
    if (verb == "open") return open(message);
    if (verb == "read") return ahead_ ? *std::exchange(ahead_, std::nullopt) : fill();
    if (verb == "module") return module(message);
    throw Error(ErrorKind::internal, "the process that reads files got an unknown request");
  }

  Message open(Message& message) {
    array_.reset();
    ahead_.reset();
    InputFile file(std::move(message.files.at(0)), message.head.at("name").get<std::string>());
    ArrayRequest wanted{
        static_cast<FileKind>(message.head.at("kind").get<int>()), message.head.value("member", ""), {}, {}};
    if (message.head.contains("scalar")) wanted.scalar = static_cast<Scalar>(message.head["scalar"].get<int>());
    if (message.head.contains("extents")) wanted.extents = message.head["extents"].get<std::size_t>();
    array_ = make_array_reader(wanted, std::move(file));
    const auto& facts = array_->facts();
    left_ = facts.bytes();
    Message reply;
    reply.head = to_json(facts);
    if (left_ == 0) array_.reset();
    return reply;
  }

  // The elements that follow, in the half of the buffer that the session does not look at.
  Message fill() {
    if (!array_ || !buffer_) throw Error(ErrorKind::internal, "no file is open");
    const auto room = buffer_.size() / 2;
    const auto bytes = std::min<std::uint64_t>(left_, room);
    half_ ^= 1;
    array_->read(buffer_.bytes().subspan(half_ * room, bytes));
    left_ -= bytes;
    if (left_ == 0) array_.reset();  // nor is the file held open any longer
    Message reply;
    reply.head = {{"half", half_}, {"bytes", bytes}};
    return reply;
  }

  static Message module(Message& message) {
    const auto text = [&](const char* name) { return message.head.at(name).get<std::string>(); };
    ModuleFile file{text("name"),
                    text("source"),
                    text("architecture"),
                    static_cast<ModuleFile::Kind>(message.head.at("kind").get<int>()),
                    {}};
    file.bytes.assign(reinterpret_cast<const char*>(message.body.data()), message.body.size());
    return compiler::encode(read_module(std::move(file)));
  }

  Channel& channel_;
  SharedMapping buffer_;
  std::unique_ptr<ArrayReader> array_;
  std::uint64_t left_ = 0;        // bytes of it that are in no half yet
  std::size_t half_ = 0;          // that was filled last
  std::optional<Message> ahead_;  // the answer to the next read
};

}  // namespace

void serve(Channel& channel) { Server(channel).run(); }

}  // namespace xcuda::files
