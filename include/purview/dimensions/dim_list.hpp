#pragma once

#include <purview/dimensions/dim.hpp>

#include <initializer_list>
#include <memory>
#include <optional>

namespace purview {

/// A list of dims whose number may be left open: the first tensor that is indexed with it binds it, to as many
/// dims as other indexes leave axes. A handle: copies are the same list. Moving one copies it.
class PURVIEW_EXPORT DimList {
public:
    /// Of any number.
    explicit DimList(std::string_view name = "dims");
    /// Of these dims; of none is a list, too.
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
    /// Throws `DimError`, `IndexError`.
    Dim operator[](index_t position) const;
    /// Makes as many dims. Throws `DimError` if the list has another number of them.
    void bind(index_t count) const;
    /// Those that it would have, bound to `count`. Throws as `bind`, binds nothing.
    DimVector proposed(index_t count) const;
    void bind(const DimVector& dims) const;

    std::optional<DimVector> dims_if_bound() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace purview
