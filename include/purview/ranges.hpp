#pragma once

/// Needs range-v3, and is the only header that does. With it, range-v3's algorithms write through
/// Purview's mutable ranges, tensors are range-v3 views, and `as_reader` accepts range-v3's views
/// as lvalues too.

#include <purview/reader/as_reader.hpp>
#include <purview/reader/element.hpp>
#include <purview/tensor/tensor.hpp>

#include <concepts/concepts.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range_fwd.hpp>

#include <concepts>

/// The common reference of an Element and a value is a value, for range-v3 as for std.
template <purview::ElementType T, template <typename> typename QualifierT,
          template <typename> typename QualifierU>
struct concepts::basic_common_reference<purview::Element<T>, T, QualifierT, QualifierU> {
    using type = T;
};
template <purview::ElementType T, template <typename> typename QualifierT,
          template <typename> typename QualifierU>
struct concepts::basic_common_reference<T, purview::Element<T>, QualifierT, QualifierU> {
    using type = T;
};

/// Makes range-v3's views count as views in `as_reader`; std does not know them.
template <std::derived_from<::ranges::view_base> V>
inline constexpr bool purview::kIsView<V> = true;

/// Tensors are views, for range-v3 as for std: `t(0, all) | ranges::views::transform(f)` keeps its
/// data.
template <purview::ElementType T>
inline constexpr bool ranges::enable_view<purview::Tensor<T>> = true;
template <purview::ElementType T>
inline constexpr bool ranges::enable_view<purview::MutableTensor<T>> = true;
template <purview::ElementType T>
inline constexpr bool ranges::enable_view<purview::GatheredTensor<T>> = true;
