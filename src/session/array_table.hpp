// The arrays of a session: by name, in nested blocks. Their contents live on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrays/pointer.hpp"
#include "base/type.hpp"
#include "cell/tree.hpp"
#include "device/device.hpp"

namespace xcuda::session {

using namespace arrays;

class ChosenDevice;
class NameTable;
class StreamTable;
class Submission;
class TextureTable;
struct CellRun;

// How an array lies on the devices of a set.
struct Spread {
  enum class Kind : std::uint8_t { none, sharded, replicated } kind = Kind::none;
  std::uint32_t device = 0;           // of one that is not spread: where it lives
  std::size_t axis = 0;               // of a sharded one: along which it is split
  std::vector<std::uint64_t> bounds;  // along it: the first index of each device, and the extent
  std::pair<std::uint64_t, std::uint64_t> part(std::uint32_t device) const {
    return {bounds[device], bounds[device + 1]};
  }
};

struct Array {
  std::string name;
  Type type;                         // of an element
  std::vector<std::uint64_t> shape;  // at least one extent
  bool read_only = false;            // declared const
  device::Address address = 0;
  std::uint64_t count = 0;         // elements
  std::string defined;             // "In[3]"
  std::size_t depth = 1;           // of the block it belongs to; 1 is outside all
  std::shared_ptr<Growth> growth;  // of a std::vector
  Spread spread{};
  // What made its memory: a declaration, malloc or new, or the CUDA Runtime. It is the same memory for all of them.
  enum class Origin : std::uint8_t { declaration, host, pinned, device, managed } origin = Origin::declaration;
  bool registered = false;  // by cudaHostRegister
  std::uint64_t id = 0;     // that no other array has or had, also where it is at the same address
  std::uint64_t bytes() const { return count * type.size; }
};

// A function sees its own arrays and those outside of all blocks, a lambda also those of the blocks that it is in.
enum class BlockKind : std::uint8_t { inner, function };

// Names are unique: what an inner block hides is kept under a name that no cell can write.
class ArrayTable {
 public:
  struct Parts {
    ChosenDevice& device;
    Submission& submission;
    StreamTable& streams;
    TextureTable& textures;
    NameTable& names;
  };
  explicit ArrayTable(Parts parts) : parts_(parts) {}

  Array* find(const std::string& name);
  const Array* find(const std::string& name) const;
  const Array* at(device::Address address) const;  // the array that holds an address, if any
  std::vector<std::string> names() const;          // in the order of definition
  const std::list<Array>& all() const { return arrays_; }

  // Makes a new array of unknown contents; it takes the name only with define(). Errors: memory, value.
  struct New {
    std::string name;
    Type type;
    std::vector<std::uint64_t> shape;
    bool read_only = false;
    cell::Span span;                                              // for errors
    std::optional<device::ForeignMemory> foreign = std::nullopt;  // in place of new memory
    Spread spread{};
  };
  Array allocate(CellRun& run, New request);
  Array& define(Array array);  // an older array of this name is freed
  // Keeps memory that no declaration names: it lives until it is freed. The first pointer that takes it gives it type
  // and name.
  Array& keep(Array array, std::string name = {});  // name: that no cell can write
  // Gives a vector another number of elements (new ones are 0), and room for at least `capacity`. Its memory may move.
  // Errors: memory.
  void resize(CellRun& run, Growth& growth, std::uint64_t size, std::uint64_t capacity, cell::Span span);
  void adopt(device::Address address, const std::string& name, const Type& type);
  void move(const std::function<device::Address(device::Address)>& to);  // all of them, and what points to them
  void gathered();  // after that, on another device: nothing is spread any more
  void free_memory(const Array& array);
  void free(const std::string& name);
  void exchange(const std::string& a, const std::string& b);  // swap(a, b)

  // Python uses the array's memory: from now on freeing the array only forgets its name, until Python has let go.
  void lend(const Array& array);
  void take_back_all_but(const std::set<device::Address>& held);
  void call_in();  // all of them: their memory is given back, or is another one now
  bool freed_are_lent() const { return !freed_.empty(); }  // memory without a name that Python may let go
  bool is_lent(const Array& array) const { return lent_.contains(array.address); }
  std::uint64_t lending_epoch() const { return epoch_; }  // another one after call_in()

  void undefine_here(const std::string& name);  // what a declaration in this block replaces
  // seen: of a function, as NameTable::enter_function() has it
  void enter_block(BlockKind kind = BlockKind::inner, std::size_t seen = 1);
  void leave_block();  // arrays of the block are freed, hidden ones are seen again
  void clear();        // frees all arrays

 private:
  friend std::shared_ptr<Growth> keep_vector(ArrayTable& table, Array array);
  device::Address place(const Spread& spread, const Array& array, std::uint64_t bytes);
  Array& of(const Growth& growth);
  void reserve(CellRun& run, Growth& growth, std::uint64_t capacity, cell::Span span);
  void drop(const std::string& name);  // without its memory
  void hide_callers(std::size_t seen);
  Array& add(Array array);  // replaces nothing: the name must be free
  void rename(const std::string& name, const std::string& to);

  Parts parts_;
  std::shared_ptr<ArrayTable*> own_ = std::make_shared<ArrayTable*>(this);  // while this lives
  std::uint64_t last_ = 0;                                                  // id
  std::list<Array> arrays_;                                                 // pointers to elements stay valid
  std::unordered_map<std::string, std::list<Array>::iterator> by_name_;
  std::vector<std::pair<std::size_t, std::string>> locals_;  // depth and name of those declared in open blocks
  std::vector<std::pair<std::size_t, std::string>> hidden_;  // block depth, name of an array it hides
  // The opposite: a hidden array that is visible again in a function: its block depth, that of the block that hides it.
  std::vector<std::tuple<std::size_t, std::size_t, std::string>> seen_again_;
  std::set<device::Address> lent_;   // arrays whose memory Python looks at
  std::set<device::Address> freed_;  // of these, those that were freed meanwhile
  std::uint64_t epoch_ = 1;
};

device::ArrayRange named_range(const Array& array);      // as a device knows it
device::ArrayRange unwritten_range(const Array& array);  // likewise, for --init: declared without a value
Pointer pointer_to(const Array& array);
// Keeps a vector that lives as long as what is returned, or a copy of that.
std::shared_ptr<Growth> keep_vector(ArrayTable& table, Array array);
bool is_in_container(const Array& array);             // of keep_vector()
void let_grow(Array& array, std::uint64_t capacity);  // a vector from now on, with room for so many elements

// "float x[4][512]"
std::string declaration_text(const Array& array);

}  // namespace xcuda::session
