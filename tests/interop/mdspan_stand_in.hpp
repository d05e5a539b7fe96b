#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace stand_in {

/// As much of Kokkos' mdspan as its interface has, by its names, to be seen by its members only.
inline constexpr auto dynamic_extent = static_cast<std::size_t>(-1);

template <typename Index, std::size_t... extents>
class Extents {
public:
    using index_type = Index;
    using rank_type = std::size_t;
    static constexpr rank_type rank() { return sizeof...(extents); }
    static constexpr std::size_t static_extent(rank_type axis) {
        return std::array<std::size_t, sizeof...(extents) + 1>{extents..., 0}[axis];
    }
    Extents() = default;
    template <typename... I>
        requires(sizeof...(I) == sizeof...(extents) && sizeof...(I) > 0)
    explicit Extents(I... sizes) : sizes_{static_cast<Index>(sizes)...} {}
    Index extent(rank_type axis) const { return sizes_[axis]; }

private:
    std::array<Index, sizeof...(extents)> sizes_{};
};

/// One order without gaps; as the standard's, it has no strides of rank 0.
template <bool row_major>
struct LayoutInOrder {
    template <typename E>
    class mapping {
    public:
        using extents_type = E;
        using index_type = typename E::index_type;
        mapping() = default;
        explicit mapping(const E& extents) : extents_(extents) {}
        const E& extents() const { return extents_; }
        static constexpr bool is_strided() { return true; }
        index_type stride(std::size_t axis) const requires(E::rank() > 0) {
            index_type product = 1;
            if constexpr (row_major)
                for (std::size_t i = axis + 1; i < E::rank(); ++i) product *= extents_.extent(i);
            else
                for (std::size_t i = 0; i < axis; ++i) product *= extents_.extent(i);
            return product;
        }

    private:
        E extents_{};
    };
};
using layout_right = LayoutInOrder<true>;
using layout_left = LayoutInOrder<false>;

struct layout_stride {
    template <typename E>
    class mapping {
    public:
        using extents_type = E;
        using index_type = typename E::index_type;
        mapping() = default;
        mapping(const E& extents, const std::array<index_type, E::rank()>& strides)
            : extents_(extents), strides_(strides) {}
        const E& extents() const { return extents_; }
        static constexpr bool is_strided() { return true; }
        std::array<index_type, E::rank()> strides() const { return strides_; }
        index_type stride(std::size_t axis) const requires(E::rank() > 0) { return strides_[axis]; }

    private:
        E extents_{};
        std::array<index_type, E::rank()> strides_{};
    };
};

/// Blocks of two, one beside the other: no strides.
struct layout_blocked {
    template <typename E>
    struct mapping {
        using extents_type = E;
        using index_type = typename E::index_type;
        E extents_{};
        const E& extents() const { return extents_; }
        static constexpr bool is_strided() { return false; }
    };
};
/// Strides that only some mappings have.
struct layout_perhaps {
    template <typename E>
    struct mapping : layout_right::mapping<E> {
        using layout_right::mapping<E>::mapping;
        bool strided = true;
        bool is_strided() const { return strided; }
    };
};

template <typename T>
struct default_accessor {
    using element_type = T;
    using reference = T&;
    using data_handle_type = T*;
};
/// As `std::linalg::conjugated_accessor`: what it gives is not what lies in memory.
template <typename T>
struct negated_accessor {
    using element_type = const T;
    using reference = T;
    using data_handle_type = const T*;
};

template <typename T, typename E, typename Layout = layout_right,
          typename Accessor = default_accessor<T>>
class mdspan {
public:
    using extents_type = E;
    using layout_type = Layout;
    using accessor_type = Accessor;
    using mapping_type = typename Layout::template mapping<E>;
    using element_type = typename Accessor::element_type;
    using value_type = std::remove_cv_t<T>;
    using index_type = typename E::index_type;
    using rank_type = typename E::rank_type;
    using data_handle_type = typename Accessor::data_handle_type;
    using reference = typename Accessor::reference;

    static constexpr rank_type rank() { return E::rank(); }
    mdspan(data_handle_type data, const mapping_type& mapping) : data_(data), mapping_(mapping) {}
    data_handle_type data_handle() const { return data_; }
    const mapping_type& mapping() const { return mapping_; }
    index_type extent(rank_type axis) const { return mapping_.extents().extent(axis); }
    index_type stride(rank_type axis) const { return mapping_.stride(axis); }
    bool is_strided() const { return mapping_.is_strided(); }

private:
    data_handle_type data_;
    mapping_type mapping_;
};

template <typename Index, std::size_t rank, std::size_t... extents>
struct DynamicExtents : DynamicExtents<Index, rank - 1, extents..., dynamic_extent> {};
template <typename Index, std::size_t... extents>
struct DynamicExtents<Index, 0, extents...> {
    using type = Extents<Index, extents...>;
};
template <typename Index, std::size_t rank>
using dextents = typename DynamicExtents<Index, rank>::type;

} // namespace stand_in
