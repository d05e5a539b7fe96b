#pragma once

#include <cstddef>
#include <iosfwd>

namespace purview::inline v0_1 {

/// Always false, but dependent on `X`: the condition of a `static_assert` in an overload that
/// exists only to reject a common mistake with a clear message.
template <typename... X>
inline constexpr bool kRefused = false;

/// What a refused call says, as part of a type: gcc prints it.
template <std::size_t size>
struct Sentence {
    char text[size];

    consteval Sentence(const char (&words)[size]) {
        for (std::size_t i = 0; i < size; ++i) text[i] = words[i];
    }
};

// What has been refused already is not refused again: clang goes on with the result of what cannot
// be called (gcc does not). These operators are found for it only, which is why it has a namespace.
namespace refused {
/// The type of what has been refused already. It is printed, piped, and an argument of every
/// function and operator, so that no further error is reported.
struct Refusal {
    template <typename X>
    Refusal operator()(const X&) const {
        return {};
    }
    friend std::ostream& operator<<(std::ostream& out, const Refusal&) { return out; }
};
#ifdef __clang__
# define PURVIEW_OPERATOR_OF_REFUSALS(OPERATOR)                 \
  template <typename X>                                         \
  Refusal operator OPERATOR(const Refusal& refusal, const X&) { \
   return refusal;                                              \
  }
PURVIEW_OPERATOR_OF_REFUSALS(+)
PURVIEW_OPERATOR_OF_REFUSALS(-)
PURVIEW_OPERATOR_OF_REFUSALS(*)
PURVIEW_OPERATOR_OF_REFUSALS(/)
PURVIEW_OPERATOR_OF_REFUSALS(<)
PURVIEW_OPERATOR_OF_REFUSALS(>)
PURVIEW_OPERATOR_OF_REFUSALS(==)
# undef PURVIEW_OPERATOR_OF_REFUSALS
#endif
} // namespace refused
using refused::Refusal;

template <Sentence sentence>
struct Refused : Refusal {};

/// Matches any argument of a refused call, also a brace list.
struct AnyArgument {
    AnyArgument() = default;
    template <typename... A>
    AnyArgument(const A&...) {}
};

/// Whether one of them has been refused already.
template <typename... A>
concept HasRefused = (__is_base_of(Refusal, A) || ...);

} // namespace purview

// PURVIEW_REFUSED(sentence, operator()(const X&) const): a function that nobody can call. Who tries
// reads the sentence; `requires { f(x); }` is false. (gcc says of a deleted function what it would
// return; clang would list all others, and says everything twice of one that is unavailable.)
#ifdef __clang__
# define PURVIEW_REFUSED(SENTENCE, ...)                                                 \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wgcc-compat\"") \
      __attribute__((diagnose_if(true, SENTENCE, "error"))) purview::Refused<SENTENCE>  \
          __VA_ARGS__ _Pragma("clang diagnostic pop")
#else
# define PURVIEW_REFUSED(SENTENCE, ...) purview::Refused<SENTENCE> __VA_ARGS__ = delete
#endif
