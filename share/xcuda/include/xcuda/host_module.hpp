// The table by which a host module, a shared object that nvcc makes of a cell, tells its functions. The compiler fills
// it in, so that names, types and sizes are those of the code. The session adds an Entry after each function of the
// cell; the process of the device reads the table. host_module.map hides all else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <type_traits>
#include <typeinfo>
#include <utility>

struct CUstream_st;

namespace xcuda_module {

inline constexpr std::uint32_t kVersion = 1;

enum class Passing : std::uint32_t {
  value,  // also a reference to const
  pointer,
  pointer_to_const,
  reference,  // that the function may write
  stream,     // a cudaStream_t
  none,       // no value of a session is one
};

struct Type {
  const char* name;  // as typeid has it; of what a pointer or a reference leads to
  Passing passing;
  std::uint32_t size,
      alignment;  // bytes; of what a pointer leads to. 0: not known (void, a type that is not complete)
};

using Thrown = void (*)(void* told, const char* type, const char* what);

struct Function {
  const char* name;             // qualified
  const char* parameter_names;  // each ends with a comma; empty where it has none
  Type result;
  const Type* parameters;
  std::uint32_t parameter_count;
  void (*target)();
  // arguments: where the values are, of pointers where the pointer is. result: room for one. False: it threw.
  bool (*call)(void (*target)(), void* const* arguments, void* result, Thrown thrown, void* told);
};

struct Table {
  std::uint32_t version, count;
  const Function* functions;
};

template <class T, class = void> struct Extent { static constexpr std::uint32_t size = 0, alignment = 0; };
template <class T> struct Extent<T, std::enable_if_t<std::is_object<T>::value && (sizeof(T) > 0)>> {
  static constexpr std::uint32_t size = sizeof(T), alignment = alignof(T);
};

template <class T> constexpr bool is_value() {
  return std::is_arithmetic<T>::value || std::is_enum<T>::value ||
         (std::is_class<T>::value && std::is_trivially_copyable<T>::value);
}

template <class T> Type type_of(Passing passing) {
  return {typeid(T).name(), passing, Extent<T>::size, Extent<T>::alignment};
}

template <class T> Type describe() {
  using Bare = std::remove_cv_t<std::remove_reference_t<T>>;
  using Pointee = std::remove_pointer_t<Bare>;
  constexpr bool writes = std::is_lvalue_reference<T>::value && !std::is_const<std::remove_reference_t<T>>::value;
  if constexpr (std::is_same<Bare, CUstream_st*>::value) {
    return {"", writes ? Passing::none : Passing::stream, sizeof(Bare), alignof(Bare)};
  } else if constexpr (std::is_pointer<Bare>::value) {
    const bool data = !writes && !std::is_pointer<Pointee>::value && !std::is_function<Pointee>::value;
    return type_of<std::remove_cv_t<Pointee>>(!data                           ? Passing::none
                                              : std::is_const<Pointee>::value ? Passing::pointer_to_const
                                                                              : Passing::pointer);
  } else if constexpr (std::is_void<Bare>::value) {
    return {"v", Passing::value, 0, 0};
  } else if constexpr (is_value<Bare>()) {
    return type_of<Bare>(writes ? Passing::reference : Passing::value);
  } else {
    return {typeid(Bare).name(), Passing::none, 0, 0};
  }
}

template <class A> A argument(void* at) {
  if constexpr (std::is_lvalue_reference<A>::value)
    return *static_cast<std::remove_reference_t<A>*>(at);
  else if constexpr (std::is_rvalue_reference<A>::value)
    return static_cast<A>(*static_cast<std::remove_reference_t<A>*>(at));
  else
    return *static_cast<std::remove_cv_t<A>*>(at);
}

template <class R, class... A, std::size_t... I>
void call_with(R (*function)(A...), void* const* arguments, void* result, std::index_sequence<I...>) {
  (void)arguments, (void)result;
  if constexpr (std::is_void<R>::value)
    function(argument<A>(arguments[I])...);
  else
    ::new (result) std::remove_cv_t<std::remove_reference_t<R>>(function(argument<A>(arguments[I])...));
}

template <class R, class... A>
bool call(void (*target)(), void* const* arguments, void* result, Thrown thrown, void* told) {
  try {
    call_with(reinterpret_cast<R (*)(A...)>(target), arguments, result, std::index_sequence_for<A...>());
    return true;
  } catch (const std::exception& error) {
    thrown(told, typeid(error).name(), error.what());
  } catch (...) {
    thrown(told, "", "");
  }
  return false;
}

template <class T> constexpr bool can_be_given() {
  using Bare = std::remove_cv_t<std::remove_reference_t<T>>;
  return std::is_void<Bare>::value || std::is_pointer<Bare>::value || is_value<Bare>();
}

// R is deduced: of several functions of one name the one that has these parameters.
template <class... A> struct Taking {
  template <class R> static Function of(R (*function)(A...), const char* name, const char* parameter_names) {
    static const Type parameters[sizeof...(A) + 1] = {describe<A>()..., {}};
    Function row{name,       parameter_names, describe<R>(),
                 parameters, sizeof...(A),    reinterpret_cast<void (*)()>(function),
                 nullptr};
    if (std::is_pointer<std::remove_reference_t<R>>::value) row.result.passing = Passing::none;
    if constexpr ((can_be_given<R>() && ... && can_be_given<A>())) row.call = call<R, A...>;
    return row;
  }
};
template <class F> struct Signature;
template <class... A> struct Signature<void(A...)> : Taking<A...> {};

template <class R, class... A> Function of(R (*function)(A...), const char* name, const char* parameter_names) {
  return Taking<A...>::of(function, name, parameter_names);
}
// printf() and its like.
template <class R, class... A> Function of(R (*)(A..., ...), const char* name, const char* parameter_names) {
  return {name, parameter_names, {"...", Passing::none, 0, 0}, nullptr, 0, nullptr, nullptr};
}

}  // namespace xcuda_module

extern "C" __attribute__((visibility("default"))) const xcuda_module::Table* xcuda_host_module();

#ifdef XCUDA_HOST_MODULE  // only in the cell: a module has one

#include <vector>

namespace xcuda_module {

static std::vector<Function>& entries() {
  static std::vector<Function> all;
  return all;
}
struct Entry {
  explicit Entry(const Function& function) { entries().push_back(function); }
};

}  // namespace xcuda_module

extern "C" const xcuda_module::Table* xcuda_host_module() {
  static xcuda_module::Table table;
  table = {xcuda_module::kVersion, static_cast<std::uint32_t>(xcuda_module::entries().size()),
           xcuda_module::entries().data()};
  return &table;
}

#endif
