#pragma once

#include <purview/base/refused.hpp>
#include <purview/tensor/tensor_handle.hpp>

#include <initializer_list>
#include <string>
#include <type_traits>

namespace purview::inline v0_1 {

/// What named dimensions add to indexing: for arguments that are no `TensorIndex`, `t(args…)` is
/// `index_tensor(t, args…)`, found by argument-dependent lookup.
template <typename X, typename... I>
concept IndexedByDims = (!IndexLike<I> || ...) && requires(const X& tensor, const I&... indexes) {
    index_tensor(tensor, indexes...);
};

/// The calls of a tensor by indexes that compilers do not deduce, being lists in braces, and those that are no indexes.
template <typename Self>
class IndexCalls {
public:
    /// Where some are lists in braces: `t({0, 2}, all)`, the indexes of rows, as NumPy's `t[[0, 2], :]`. It writes through
    /// where the tensor does.
    Self operator()(const BracedIndex& first, const BracedIndex& second = BracedIndex::Absent(),
                    const BracedIndex& third = BracedIndex::Absent(),
                    const BracedIndex& fourth = BracedIndex::Absent()) const {
        return Self(select_braced(self().operand(), {&first, &second, &third, &fourth}));
    }
    /// Where a list in braces stands beside dims: `t({0, 2}, i)`, `t(i, {0, 2})`.
    template <typename... I>
        requires IndexedByDims<Self, IndexSequencePtr, I...>
    auto operator()(std::initializer_list<ListedIndex> list, const I&... rest) const {
        return index_tensor(self(), listed_indexes(list), rest...);
    }
    template <typename A, typename... I>
        requires IndexedByDims<Self, A, IndexSequencePtr, I...>
    auto operator()(const A& first, std::initializer_list<ListedIndex> list,
                    const I&... rest) const {
        return index_tensor(self(), first, listed_indexes(list), rest...);
    }
    template <typename A, typename B, typename... I>
        requires IndexedByDims<Self, A, B, IndexSequencePtr, I...>
    auto operator()(const A& first, const B& second, std::initializer_list<ListedIndex> list,
                    const I&... rest) const {
        return index_tensor(self(), first, second, listed_indexes(list), rest...);
    }

    /// Refused in one sentence.
    template <typename... I>
        requires((!IndexLike<I> || ...) && !IndexedByDims<Self, I...>)
    PURVIEW_REFUSED("an index is an integer, pv::all, pv::range(a, b), pv::new_axis, "
                    "pv::ellipsis, a list or tensor of integers, a mask of bools, or a Dim",
                    operator()(const I&...) const);
    template <typename L = ListedIndex>
    PURVIEW_REFUSED("x(0, 1) is an element, x({0, 1}, all) are rows 0 and 1",
                    operator[](std::initializer_list<std::type_identity_t<L>>) const);
#ifndef __cpp_multidimensional_subscript
    template <typename I>
    PURVIEW_REFUSED("before C++23 x[i, j] is x[j]: write x(i, j)", operator[](const I&) const);
#endif

private:
    const Self& self() const { return static_cast<const Self&>(*this); }
};

/// Values in braces where a tensor is expected, which others mean as a shape: refused in one sentence.
template <typename T>
struct ValueInBraces {
    template <typename V>
        requires(std::is_arithmetic_v<V> || std::is_same_v<V, T> || std::is_same_v<V, const char*>)
    ValueInBraces(V) {}
    template <typename V>
        requires(std::is_arithmetic_v<V> || std::is_same_v<V, T> || std::is_same_v<V, const char*>)
    ValueInBraces(std::initializer_list<V>) {}
};

} // namespace purview
