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

namespace purview::engine {

struct Plan;
class Runner;

/// The `IndexError` of an index that lies outside of an axis of the source, of that extent.
[[noreturn]] void throw_index_outside(const Gather& node, std::size_t axis, index_t index,
                                      index_t extent);

/// A gather seen through a view: how to find the elements of its row-major order. These are rows: what
/// lies behind the axes along which some index changes.
class GatherPlan final : public BlockSource {
public:
    GatherPlan(const Gather& node, const Dimensions& view);
    ~GatherPlan() override;

    const Gather& node() const noexcept { return node_; }
    index_t rows() const noexcept { return rows_; }
    index_t width() const noexcept { return width_; } ///< elements of a row
    bool follows_elements() const noexcept override { return width_ == 1; }
    bool is_thread_safe() const noexcept override { return thread_safe_; }
    /// Addresses of a row are those of its first element, and as many that follow: memory of a built-in
    /// type in which the elements of a row lie one after the other.
    bool has_lines() const noexcept { return is_line_; }
    /// The source lies in memory of a built-in type, and addresses are those of its reader.
    bool reads_memory() const noexcept;
    /// How many bytes later the next address lies. Precondition: `reads_memory()`.
    index_t stride_bytes() const noexcept;
    const std::byte* memory() const noexcept;
    /// Whether the source is more than the second-level cache holds.
    bool is_far() const noexcept;

    /// Single elements or lines of memory at one list of indexes in memory: their addresses are `base + stride·index`, but for
    /// indexes that count from the end.
    struct DirectIndexes {
        const index_t* indexes;
        index_t count;
        index_t extent;
        index_t base;
        index_t stride;
    };
    std::optional<DirectIndexes> direct_indexes() const;
    /// All indexes lie in memory, one after the other.
    bool reads_indexes_in_place() const noexcept;

    std::string describe() const override;
    std::unique_ptr<BlockReader> make_reader() const override;

private:
    friend class GatherRunner;

    /// One index, along the rows.
    struct Index {
        Operand operand;
        const index_t* memory = nullptr; ///< where the indexes lie, if they do one after the other
        std::unique_ptr<const Values> values;
        std::shared_ptr<const Plan> plan;
    };
    /// An axis of the source that is read at an index.
    struct Axis {
        std::size_t index;
        index_t extent;
        index_t stride;
        std::size_t number; ///< of the axis
    };
    void find_rows(const Dimensions& rest, const std::vector<Dimensions>& indexes);
    void add_index(const Operand& index, Dimensions rows);
    void find_grid(const Dimensions& rows);

    const Gather& node_;
    index_t rows_ = 1;
    index_t width_ = 1;
    bool thread_safe_ = true;
    bool is_line_ = false;
    const Leaf* leaf_ = nullptr; ///< the source, if it is one
    /// Addresses in here are row-major indexes of the source, not those of its reader.
    bool are_global_ = false;
    std::vector<Index> indexes_;
    std::vector<Axis> axes_;
    std::optional<GatherGridPlan> grid_;                  ///< of the rows, if they are one
    std::optional<dimensions::AddressStream> row_starts_; ///< none: all of them `base_`
    index_t base_ = 0;
    std::optional<dimensions::AddressStream> inside_;     ///< of a row; none for lines
    std::optional<dimensions::AddressStream> source_map_; ///< from global to the reader's addresses
    // A source that is computed:
    std::unique_ptr<const Values> source_values_;
    std::shared_ptr<const Plan> source_plan_;
};

/// What one thread needs to read through a plan.
class GatherRunner final : public BlockReader {
public:
    explicit GatherRunner(const GatherPlan& plan);
    ~GatherRunner() override;

    /// Rows whose addresses are found at a time, at most.
    static constexpr index_t kMostRows = 1024;

    /// The addresses of the rows [row, row + count), at most kMostRows. Throws `IndexError`. Valid until the
    /// next call.
    const index_t* addresses(index_t row, index_t count);
    /// Those of the elements [at, at + count) of a row that begins at an address; at most kMostRows.
    void addresses_inside(index_t address, index_t at, index_t count, index_t* out) const;
    /// From row-major indexes of the source to addresses of its reader, where these are not the same.
    void to_reader(index_t* addresses, index_t count) const;

    void read(index_t begin, index_t count, std::byte* out, bool streaming) override;

private:
    const index_t* indexes_of(std::size_t index, index_t row, index_t count);
    [[noreturn]] void throw_index(const GatherPlan::Axis& axis, const index_t* indexes) const;
    void read_part_of_row(index_t row, index_t at, index_t count, std::byte* out);
    bool read_at_indexes(index_t row, index_t count, std::byte* out);
    const GatherGrid* grid_for(index_t count);
    bool find_on_grid(index_t row, index_t count);
    bool read_on_grid(index_t row, index_t count, std::byte* out, bool streaming);
    void read_rows(index_t row, index_t count, std::byte* out, bool streaming);
    void copy_lines(index_t count, index_t bytes, std::byte* out, bool streaming) const;
    /// Elements at addresses that this overwrites.
    void read_elements(index_t* addresses, index_t count, std::byte* out);
    void read_computed(const index_t* globals, index_t count, std::byte* out);

    const GatherPlan& plan_;
    std::unique_ptr<index_t[]> addresses_;
    std::unique_ptr<index_t[]> inside_;               ///< of a row
    std::vector<std::unique_ptr<index_t[]>> scratch_; ///< of indexes that are computed
    std::vector<std::unique_ptr<Runner>> runners_;    ///< the same
    std::unique_ptr<Runner> source_runner_;
    std::optional<GatherGrid> grid_;
    index_t rows_before_grid_ = 0; ///< that are read without one
};

} // namespace purview::engine
