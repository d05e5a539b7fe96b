#include <purview/base/checked.hpp>
#include <purview/dimensions/dim_list.hpp>

#include <fmt/format.h>

#include <mutex>

namespace purview::inline v0_1 {

struct DimList::State {
    explicit State(std::string_view given) : name(given) {}

    std::string name;
    std::mutex lock;
    std::optional<DimVector> dims;
};

DimList::DimList(std::string_view name) : state_(std::make_shared<State>(name)) {}
DimList::DimList(std::initializer_list<Dim> dims) : DimList(DimVector(dims)) {}
DimList::DimList(DimVector dims) : DimList(std::string_view("dims")) {
    state_->dims = std::move(dims);
}

const std::string& DimList::name() const noexcept { return state_->name; }

std::optional<DimVector> DimList::dims_if_bound() const {
    const std::lock_guard guard(state_->lock);
    return state_->dims;
}

DimVector DimList::dims() const {
    std::optional<DimVector> dims = dims_if_bound();
    if (!dims)
        throw DimError(fmt::format(
            "list of dims '{}' has no length yet: index a tensor with it, or call bind", name()));
    return *std::move(dims);
}

Dim DimList::operator[](index_t position) const {
    const DimVector list = dims();
    return list[static_cast<std::size_t>(
        checked_index(position, std::ssize(list), 0, "list of dims"))];
}

DimVector DimList::proposed(index_t count) const {
    if (count < 0)
        throw DimError(fmt::format("list of dims '{}' cannot have the length {}", name(), count));
    if (const std::optional<DimVector> dims = dims_if_bound()) {
        if (std::ssize(*dims) != count)
            throw DimError(
                fmt::format("list of dims '{}' is bound to length {} and cannot bind to length {}",
                            name(), dims->size(), count));
        return *dims;
    }
    DimVector dims;
    for (index_t i = 0; i < count; ++i) dims.push_back(Dim(fmt::format("{}{}", name(), i)));
    return dims;
}

void DimList::bind(const DimVector& dims) const {
    const std::lock_guard guard(state_->lock);
    if (!state_->dims) state_->dims = dims;
}

void DimList::bind(index_t count) const { bind(proposed(count)); }

} // namespace purview
