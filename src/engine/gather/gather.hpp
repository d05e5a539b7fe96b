#pragma once

#include <purview/dimensions/address_stream.hpp>
#include <purview/expression/gather.hpp>

#include "engine/compile/block_source.hpp"
#include "engine/compile/values.hpp"
#include "engine/gather/gather_grid.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace purview::inline v0_1::engine {

struct Plan;
class Runner;

/// Throws the `IndexError` of an index that is out of range for `axis` of the source.
[[noreturn]] void throw_index_outside(const Gather& node, std::size_t axis, index_t index,
                                      index_t extent);

/// Rows of memory as `RowList` has them, at the indexes where they lie: these are not checked, and
/// another thread may write to them.
struct UncheckedRows {
    const std::byte* first;
    index_t stride_bytes;
    const index_t* indexes; ///< null: rows are to be found in another way
    index_t extent;         ///< indexes inside are less than this
};

/// How to read a gather, seen through a view, in row-major order. Its elements form rows: those of
/// the trailing axes, along which no index changes.
class GatherPlan final : public BlockSource {
public:
    GatherPlan(const Gather& node, const Dimensions& view);
    ~GatherPlan() override;

    index_t rows() const noexcept { return rows_; }
    index_t width() const noexcept { return width_; } ///< elements of a row
    /// The offsets of a grid are few, and stay in the first-level cache.
    bool reads_indexes_of_elements() const noexcept override { return width_ == 1 && !grid_; }
    bool is_thread_safe() const noexcept override { return thread_safe_; }
    /// Whether the elements of a row have consecutive addresses, and are contiguous in memory of a
    /// built-in type.
    bool has_lines() const noexcept { return is_line_; }
    /// Whether the source is a leaf in memory of a built-in type.
    bool reads_memory() const noexcept;
    /// Bytes from one address to the next. Precondition: `reads_memory()`.
    index_t stride_bytes() const noexcept;
    const std::byte* memory() const noexcept;
    /// Whether the source is more than the second-level cache holds.
    bool is_far() const noexcept;

    /// Whether rows lie in memory, at the indexes of one operand.
    bool has_rows_at_indexes() const noexcept;
    /// Whether the elements of each index operand are contiguous in memory.
    bool reads_indexes_in_place() const noexcept;

    /// All rows, where `has_rows_at_indexes()` and the indexes are in memory.
    UncheckedRows unchecked_rows() const noexcept {
        if (!has_rows_at_indexes()) return {};
        const Axis& axis = axes_[0];
        const index_t stride = stride_bytes();
        return {memory() + base_ * stride, axis.stride * stride, indexes_[axis.index].memory,
                axis.extent};
    }

    std::string describe() const override;
    std::unique_ptr<BlockReader> make_reader() const override;

private:
    friend class GatherRunner;

    /// One index operand, seen along the rows.
    struct Index {
        Operand operand;
        const index_t* memory = nullptr; ///< its elements, if they are contiguous in memory
        std::unique_ptr<const Values> values;
        std::shared_ptr<const Plan> plan;
    };
    using Axis = GatherGridPlan::Read;
    void find_rows(const Dimensions& rest, const std::vector<Dimensions>& indexes);
    void add_index(const Operand& index, Dimensions rows);

    const Gather& node_;
    index_t rows_ = 1;
    index_t width_ = 1;
    bool thread_safe_ = true;
    bool is_line_ = false;
    const Leaf* leaf_ = nullptr; ///< the source, if it is one
    /// Whether addresses are row-major indexes of the source, not addresses of its reader.
    bool are_global_ = false;
    std::vector<Index> indexes_;
    std::vector<Axis> axes_;
    std::optional<GatherGridPlan> grid_;                  ///< of the rows, if they form one
    std::optional<dimensions::AddressStream> row_starts_; ///< before indexes add; none: `base_`
    index_t base_ = 0;
    std::optional<dimensions::AddressStream> inside_;     ///< addresses in a row; none for lines
    std::optional<dimensions::AddressStream> source_map_; ///< row-major to reader's addresses
    // A source that is computed:
    std::unique_ptr<const Values> source_values_;
    std::shared_ptr<const Plan> source_plan_;
};

/// Rows of memory: row i begins `stride_bytes * list[i]` behind `first`. The list has `length`
/// entries; those behind the rows that were asked for have not been checked.
struct RowList {
    const std::byte* first;
    index_t stride_bytes;
    const index_t* list;
    index_t length;
};

/// Reads a gather on one thread, as a plan says.
class GatherRunner final : public BlockReader {
public:
    explicit GatherRunner(const GatherPlan& plan);
    ~GatherRunner() override;

    /// The most rows whose addresses are found at a time.
    static constexpr index_t kMostRows = 1024;
    /// Entries of a list behind the rows that were asked for, for prefetching.
    static constexpr index_t kListedAhead = 64;

    /// The addresses of the rows [row, row + count), at most kMostRows. Throws `IndexError`. Valid
    /// until the next call.
    const index_t* addresses(index_t row, index_t count);
    /// The same for a gather from memory, by the indexes themselves where these say where rows are.
    RowList rows_in_memory(index_t row, index_t count);
    /// Whether `rows_at_indexes` had a list; indexes in memory are read where they lie.
    bool are_inside(index_t row, index_t count);
    /// Rows of memory at one index operand; at most kMostRows. No list if this gather is of another
    /// kind, or if some index is out of range or counts from the end. Indexes in memory are copied
    /// before they are checked, as another thread may write to them. Valid until the next call.
    RowList rows_at_indexes(index_t row, index_t count);
    /// Writes the addresses of the elements [at, at + count) of the row that begins at `address`;
    /// at most kMostRows.
    void addresses_inside(index_t address, index_t at, index_t count, index_t* out) const;
    /// Turns row-major indexes of the source, in place, into addresses of its reader, where these
    /// differ.
    void to_reader(index_t* addresses, index_t count) const;

    void read(index_t begin, index_t count, std::byte* out, bool streaming) override;
    void share_with(BlockReader& other) override;

private:
    /// Elements of some rows that another gather has read. Of no rows: `count` is 0.
    struct ElementsAhead {
        std::vector<std::byte> elements;
        index_t row = 0;
        index_t count = 0;
    };

    const index_t* indexes_of(std::size_t index, index_t row, index_t count);
    [[noreturn]] void throw_index(const GatherPlan::Axis& axis, const index_t* indexes,
                                  index_t count) const;
    void read_part_of_row(index_t row, index_t at, index_t count, std::byte* out);
    void read_inside(index_t address, index_t at, index_t count, std::byte* out);
    bool read_short_runs(const GatherGrid& grid, index_t row, index_t count, std::byte* out);
    bool read_at_indexes(index_t row, index_t count, std::byte* out);
    GatherGrid* grid_for(index_t count);
    bool find_on_grid(index_t row, index_t count);
    bool read_on_grid(index_t row, index_t count, std::byte* out, bool streaming);
    bool reads_elements_of(const GatherPlan& other) const noexcept;
    void find_neighbour();
    void read_for_both(index_t row, index_t count, std::byte* out);
    bool take_elements_ahead(index_t row, index_t count, std::byte* out);
    void read_rows(index_t row, index_t count, std::byte* out, bool streaming);
    /// Reads the elements at `addresses`, which it overwrites.
    void read_elements(index_t* addresses, index_t count, std::byte* out);
    void read_computed(const index_t* globals, index_t count, std::byte* out);

    const GatherPlan& plan_;
    std::unique_ptr<index_t[]> addresses_;
    std::unique_ptr<index_t[]> inside_;               ///< of a row
    std::vector<std::unique_ptr<index_t[]>> scratch_; ///< of indexes that are computed
    std::vector<std::unique_ptr<Runner>> runners_;    ///< for indexes that are computed
    std::unique_ptr<Runner> source_runner_;
    std::optional<GatherGrid> grid_;
    index_t rows_before_grid_ = 0; ///< rows read without a grid so far; -1: none can be made
    std::vector<GatherRunner*> same_source_; ///< other gathers of single elements of this memory
    GatherRunner* neighbour_ = nullptr;      ///< each of its elements lies beside this gather's
    bool is_behind_ = false;                 ///< whether this gather's lie behind its neighbour's
    ElementsAhead ahead_;
};

} // namespace purview::engine
