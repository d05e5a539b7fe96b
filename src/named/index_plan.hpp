#pragma once

#include <purview/named/index_dims.hpp>

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace purview::inline v0_1::named {

/// The axis stays positional.
struct Positional {};

/// The axis is split into dims, the last one fastest.
struct SplitAxis {
    DimVector dims;
};

/// The axis is read at one of the computed indexes.
struct ComputedAxis {
    std::size_t number;
    std::string axis; ///< its name, for errors
};

/// What is done with an axis that remains after positional indexing.
using PlannedAxis = std::variant<Positional, Dim, SplitAxis, AffineIndex, ComputedAxis>;

/// The number of axes of an index that takes all axes left over.
inline constexpr index_t kFills = -1;
/// The number of axes that an index takes, or `kFills`.
index_t axes_taken(const DimIndex& index);

/// The meaning of an indexing call for the axes of a tensor, before sizes are considered.
struct IndexPlan {
    /// Throws `IndexError` for too many indexes, `DimError` for lists of dims with a wrong length.
    IndexPlan(const DimOperand& x, std::span<const DimIndex> indexes,
              std::span<const std::string> axis_names, const char* what);

    /// Whether the operation is indexing written by the user, who then could write other indexes.
    bool is_indexing() const noexcept { return std::string_view(what) == "indexing"; }

    /// Binds the proposed sizes, and the lists of dims.
    void bind(std::span<const DimSize> sizes) const;

    const char* what;                 ///< the name of the operation in messages
    std::vector<TensorIndex> select;  ///< positional indexes for all axes, dims first
    std::vector<PlannedAxis> axes;    ///< for each axis that `select` leaves
    std::vector<DimOperand> computed; ///< the indexes that are not views
    DimVector dims;                   ///< of the result
    DimVector view_dims; ///< dims of the view, whose axes with computed indexes still exist
    int rank = 0;        ///< the number of positional axes of the result

private:
    struct BoundList {
        DimList list;
        DimVector dims;
    };

    void add(const DimIndex& index, index_t left_over);
    void add_computed(const DimOperand& index, std::string axis);
    void add_dim(const Dim& dim);
    void add_positional(const TensorIndex& index);
    void add_list(const DimList& list, index_t left_over);
    void remember(const Dim& dim);

    std::vector<BoundList> lists_;
};

} // namespace purview::named
