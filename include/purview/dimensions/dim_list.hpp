#pragma once

#include <purview/dimensions/dim.hpp>

#include <initializer_list>
#include <memory>
#include <optional>

namespace purview::inline v0_1 {

/// A list of dims whose length may be left open: the first tensor indexed with it gives it as many
/// dims as the other indexes leave axes. A handle: copies are the same list. Moving one copies it.
class PURVIEW_EXPORT DimList {
public:
    /// A list of open length.
    explicit DimList(std::string_view name = "dims");
    /// A list of the given dims, possibly none.
    DimList(std::initializer_list<Dim> dims);
    explicit DimList(DimVector dims);
    template <DimRange R>
        requires(!std::same_as<R, DimVector>)
    explicit DimList(const R& dims) : DimList(DimVector(std::begin(dims), std::end(dims))) {}

    DimList(const DimList&) = default;
    DimList& operator=(const DimList&) = default;
    ~DimList() = default;

    const std::string& name() const noexcept;
    bool is_bound() const { return dims_if_bound().has_value(); }
    /// Throws `DimError` while the number is open.
    DimVector dims() const;
    index_t size() const { return static_cast<index_t>(dims().size()); }
    /// The Dim at `position`, which may count from the end. Throws `DimError` while the length is
    /// open, `IndexError` for a position out of range.
    Dim operator[](index_t position) const;
    /// Makes `count` dims if the length is open. Throws `DimError` if the list has another length,
    /// or `count` is negative.
    void bind(index_t count) const;
    /// The dims that `bind(count)` would give the list. Throws as `bind` does, binds nothing.
    DimVector proposed(index_t count) const;
    void bind(const DimVector& dims) const;

    std::optional<DimVector> dims_if_bound() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace purview
