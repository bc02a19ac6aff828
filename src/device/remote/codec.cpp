#include "device/remote/codec.hpp"

#include <utility>

#include "device/remote/protocol.hpp"

namespace xcuda::device::remote {

std::string_view verb_name(Verb verb) {
  switch (verb) {
    case Verb::open: return "open";
    case Verb::info: return "info";
    case Verb::create_memory: return "create_memory";
    case Verb::import_memory: return "import_memory";
    case Verb::open_memory: return "open_memory";
    case Verb::mirror_memory: return "mirror_memory";
    case Verb::destroy_memory: return "destroy_memory";
    case Verb::load_module: return "load_module";
    case Verb::unload_module: return "unload_module";
    case Verb::module_info: return "module_info";
    case Verb::place_variables: return "place_variables";
    case Verb::machine_code: return "machine_code";
    case Verb::occupancy: return "occupancy";
    case Verb::best_block: return "best_block";
    case Verb::create_stream: return "create_stream";
    case Verb::destroy_stream: return "destroy_stream";
    case Verb::create_event: return "create_event";
    case Verb::destroy_event: return "destroy_event";
    case Verb::elapsed: return "elapsed";
    case Verb::begin_capture: return "begin_capture";
    case Verb::end_capture: return "end_capture";
    case Verb::create_texture: return "create_texture";
    case Verb::open_library: return "open_library";
    case Verb::load_host_module: return "load_host_module";
    case Verb::unload_host_module: return "unload_host_module";
    case Verb::set_limit: return "set_limit";
    case Verb::limit: return "limit";
    case Verb::synchronize: return "synchronize";
    case Verb::post_name_range: return "post_name_range";
    case Verb::post_forget_range: return "post_forget_range";
    case Verb::post_guard: return "post_guard";
    case Verb::post_fill: return "post_fill";
    case Verb::post_copy: return "post_copy";
    case Verb::post_read: return "post_read";
    case Verb::post_write: return "post_write";
    case Verb::post_prepare: return "post_prepare";
    case Verb::post_launch: return "post_launch";
    case Verb::post_library: return "post_library";
    case Verb::post_host_call: return "post_host_call";
    case Verb::post_record: return "post_record";
    case Verb::post_wait: return "post_wait";
    case Verb::post_graph: return "post_graph";
    case Verb::post_destroy_texture: return "post_destroy_texture";
    case Verb::post_destroy_graph: return "post_destroy_graph";
    case Verb::post_fence: return "post_fence";
    case Verb::big_post: return "big_post";
  }
  return "unknown";
}

ErrorText to_text(const Error& error) {
  return {error.kind, error.message, error.library, error.advice, error.notes, error.place};
}

Error to_error(ErrorText text) {
  Error error(text.kind, std::move(text.message));
  error.library = std::move(text.library);
  error.advice = std::move(text.advice);
  error.notes = std::move(text.notes);
  error.place = std::move(text.place);
  return error;
}

}  // namespace xcuda::device::remote
