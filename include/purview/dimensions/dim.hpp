#pragma once

#include <purview/base/config.hpp>
#include <purview/base/index.hpp>
#include <purview/base/intrusive_pointer.hpp>
#include <purview/base/range_concepts.hpp>
#include <purview/base/reference_count.hpp>

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace purview::inline v0_1 {

struct DimKind; // how operations on tensors take a Dim: named/dim_tensor.hpp

/// A first-class dimension: an identity, a name for messages, and a size that is bound once,
/// explicitly or by indexing a tensor with it. A handle, as cheap to copy as a pointer; copies are
/// the same dimension, and two dimensions of one name are different ones. A moved-from Dim can only
/// be assigned to or destroyed: anything else throws `DimError`. `i == j` compares indexes and is a
/// tensor; to compare identities use `same`.
class PURVIEW_EXPORT Dim {
public:
    using value_type = index_t; ///< as a tensor, a Dim is its own indexes: 0, 1, …, size - 1
    using HandleKind = DimKind;

    /// What every copy of a Dim shares.
    struct State {
        State(std::string_view given, index_t length);

        mutable ReferenceCount references;
        std::atomic<index_t> size;
        std::uint64_t id;
        std::string name;
    };

    /// A dimension without a size, named after its number.
    Dim() : Dim(std::string_view()) {}
    /// A dimension without a size.
    explicit Dim(std::string_view name);
    /// Throws `DimError` for a negative size.
    Dim(std::string_view name, index_t size);

    Dim(const Dim&) = default;
    Dim(Dim&&) noexcept = default;
    Dim& operator=(const Dim&) = default;
    Dim& operator=(Dim&&) noexcept = default;
    ~Dim() = default;

    /// A number that no other dimension of the process has.
    std::uint64_t id() const { return state().id; }
    const std::string& name() const { return state().name; }
    bool has_size() const { return size_or_none() != kNoSize; }
    /// Throws `DimError` if none is bound yet.
    index_t size() const {
        const index_t size = size_or_none();
        if (size == kNoSize) throw_no_size();
        return size;
    }
    /// Binds the size. Throws `DimError` if it is bound to another one, or negative.
    void set_size(index_t size) const;

    friend bool same(const Dim& a, const Dim& b) noexcept { return a.state_ == b.state_; }

    static constexpr index_t kNoSize = -1;
    index_t size_or_none() const { return state().size.load(std::memory_order_acquire); }
    State& state() const {
        if (!state_) [[unlikely]]
            throw_moved_from();
        return *state_;
    }

private:
    friend void intrusive_ptr_add_ref(const State* state) noexcept { state->references.add(); }
    friend void intrusive_ptr_release(const State* state) noexcept {
        if (state->references.drop()) delete state;
    }
    [[noreturn]] void throw_no_size() const;
    [[noreturn]] static void throw_moved_from();

    IntrusivePointer<State> state_;
};

bool same(const Dim& a, const Dim& b) noexcept; // `pv::same` too

/// A short list of dimensions.
using DimVector = InlineVector<Dim, 4>;
extern template class PURVIEW_EXPORT InlineVector<Dim, 4>;

/// Dimensions in a range: a vector, an array, a span, what `dims(t)` returns.
template <typename R>
concept DimRange = !kIsTensor<R> && std::ranges::forward_range<const R> &&
                   std::same_as<std::ranges::range_value_t<const R>, Dim>;

/// New dimensions without sizes: `auto [i, j] = dims("i", "j")`.
template <typename... Names>
    requires(sizeof...(Names) > 0 && (std::convertible_to<const Names&, std::string_view> && ...))
std::array<Dim, sizeof...(Names)> dims(const Names&... names) {
    return {Dim(std::string_view(names))...};
}
/// New dimensions without sizes, named after their numbers: `auto [i, j] = dims<2>()`.
template <std::size_t N>
std::array<Dim, N> dims() {
    return {};
}

/// Where a dimension stands in a list; -1 if it does not.
inline index_t position_of(const Dim& dim, std::span<const Dim> dims) noexcept {
    for (std::size_t i = 0; i < dims.size(); ++i)
        if (same(dims[i], dim)) return static_cast<index_t>(i);
    return -1;
}

/// A dimension and the size to bind it to.
struct DimSize {
    const Dim* dim;
    index_t size;
    bool of_axis = false; ///< the size is that of an indexed axis, of which a smaller Dim could
                          ///< read a part
};

/// Binds all sizes, or none if it throws. Throws `DimError` naming a Dim that is bound to another
/// size.
PURVIEW_EXPORT void bind_sizes(std::span<const DimSize> sizes);

/// Throws what `bind_sizes` would throw, and binds nothing.
PURVIEW_EXPORT void check_sizes(std::span<const DimSize> sizes);

/// The dimensions as messages list them: `(i, j)`; a single one as `(i,)`.
PURVIEW_EXPORT std::string to_string(std::span<const Dim> dims);

} // namespace purview
