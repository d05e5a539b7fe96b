#include "base/fork_lock.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/dim.hpp>

#include <fmt/format.h>

#include <memory>
#include <mutex>

namespace purview::inline v0_1 {
namespace {

// Guards the binding of sizes. Sizes are read without it.
std::mutex& binding_lock() {
    static std::mutex& lock = []() -> std::mutex& {
        auto made = std::make_unique<std::mutex>();
        lock_while_forking<binding_lock>();
        return *made.release(); // destructors of static objects may bind too
    }();
    return lock;
}

std::atomic<std::uint64_t> next_id{0};

void check_size(const Dim& dim, index_t bound, index_t size, bool of_axis = false) {
    if (size < 0) throw DimError(fmt::format("Dim '{}' cannot have the size {}", dim.name(), size));
    if (bound != Dim::kNoSize && bound != size)
        throw DimError(fmt::format(
            "Dim '{}' is bound to size {} and cannot bind to size {}{}", dim.name(), bound, size,
            of_axis && dim.has_size() && bound < size && dim.name().find(' ') == std::string::npos
                ? fmt::format(" (write {} + 0 for the first {} of an axis)", dim.name(), bound)
                : std::string()));
}

/// The size that the Dim of an entry has, or will get from an earlier entry.
index_t size_before(std::span<const DimSize> sizes, std::size_t entry) {
    const Dim& dim = *sizes[entry].dim;
    const index_t bound = dim.size_or_none();
    if (bound != Dim::kNoSize) return bound;
    for (std::size_t i = 0; i < entry; ++i)
        if (same(*sizes[i].dim, dim)) return sizes[i].size;
    return Dim::kNoSize;
}

} // namespace

Dim::State::State(std::string_view given, index_t length)
    : size(length),
      id(next_id.fetch_add(1, std::memory_order_relaxed)),
      name(given.empty() ? fmt::format("d{}", id) : std::string(given)) {}

Dim::Dim(std::string_view name) : state_(new State(name, kNoSize), false) {}
Dim::Dim(std::string_view name, index_t size) : state_(new State(name, size), false) {
    check_size(*this, kNoSize, size);
}

void Dim::set_size(index_t size) const {
    check_size(*this, kNoSize, size); // checked first, because `DimSize` with -1 would mean no size
    const DimSize entry{this, size};
    bind_sizes({&entry, 1});
}

void Dim::throw_no_size() const {
    throw DimError(
        fmt::format("Dim '{}' has no size yet: index a tensor with it, or call set_size", name()));
}

void Dim::throw_moved_from() { throw DimError("a Dim that was moved from is no dimension"); }

template class InlineVector<Dim, 4>;

void check_sizes(std::span<const DimSize> sizes) {
    for (std::size_t i = 0; i < sizes.size(); ++i)
        check_size(*sizes[i].dim, size_before(sizes, i), sizes[i].size, sizes[i].of_axis);
}

void bind_sizes(std::span<const DimSize> sizes) {
    bool bound = true;
    for (const DimSize& entry : sizes) bound = bound && entry.dim->size_or_none() == entry.size;
    if (bound) return;
    const std::lock_guard lock(binding_lock());
    check_sizes(sizes);
    for (const DimSize& entry : sizes)
        entry.dim->state().size.store(entry.size, std::memory_order_release);
}

std::string to_string(std::span<const Dim> dims) {
    std::string text = "(";
    for (std::size_t i = 0; i < dims.size(); ++i) text += (i > 0 ? ", " : "") + dims[i].name();
    return text + (dims.size() == 1 ? ",)" : ")");
}

} // namespace purview
