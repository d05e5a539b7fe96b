#pragma once

#include <purview/dimensions/dimensions.hpp>

#include <memory>
#include <optional>
#include <span>
#include <type_traits>

namespace purview::inline v0_1::dimensions {

/// The addresses of a `Dimensions` in global order, read in blocks that may begin anywhere: by
/// increments, not by a division per element. Built once (it reduces its axes first), read often,
/// from any thread.
class PURVIEW_EXPORT AddressStream {
public:
    explicit AddressStream(const Dimensions& dims);
    ~AddressStream();
    AddressStream(const AddressStream&) noexcept;
    AddressStream& operator=(const AddressStream&) noexcept;

    /// The number of elements.
    index_t size() const noexcept;

    /// Writes the addresses of the elements `begin`, `begin + 1`, … . All of them must exist
    /// (unchecked).
    void read(index_t begin, std::span<index_t> out) const;

    /// `out[i]` = the address of the element `globals[i]`. `globals` may be in any order, each in
    /// [0, size()) (unchecked). Divisions by extents and periods are done by multiplications. The
    /// two spans may be the same memory.
    void gather(std::span<const index_t> globals, std::span<index_t> out) const;

    /// Calls `f(address, step, length)` for the maximal runs of constant step that make up the
    /// elements [begin, begin + count), in order: whole rows of a strided innermost axis, pieces
    /// of a rotated or tiled one, progressions within a list.
    template <typename F>
    void runs(index_t begin, index_t count, F&& f) const {
        visit_runs(
            begin, count,
            [](void* context, index_t address, index_t step, index_t length) {
                (*static_cast<std::remove_reference_t<F>*>(context))(address, step, length);
            },
            const_cast<void*>(static_cast<const void*>(std::addressof(f))));
    }

    /// The address of the element `begin`, if the addresses of the elements [begin, begin + count)
    /// are consecutive and that is known without a search: along plain, rotated and tiled axes of
    /// one layer. Else -1.
    index_t begin_of_run(index_t begin, index_t count) const;

    /// Whether the innermost axis is mapped by a list of indexes in memory, so that runs are short.
    bool follows_list() const noexcept;

    /// All addresses as a function of one list of indexes in memory: element i is at
    /// `base + stride * entries[i]`.
    struct List {
        const index_t* entries;
        index_t base;
        index_t stride;
    };
    /// The list that all addresses follow, if the `Dimensions` is a single axis selected by a list;
    /// else nothing.
    std::optional<List> list() const noexcept;

private:
    using RunVisitor = void (*)(void* context, index_t address, index_t step, index_t length);
    void visit_runs(index_t begin, index_t count, RunVisitor visit, void* context) const;

    struct Plan;
    std::shared_ptr<const Plan> plan_;
};

} // namespace purview::dimensions
