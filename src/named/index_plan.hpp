#pragma once

#include <purview/named/index_dims.hpp>

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace purview::named {

/// Positional: stays an axis.
struct Positional {};

/// Is split into dims, the last one fastest.
struct SplitAxis {
    DimVector dims;
};

/// Is read at one of the computed indexes.
struct ComputedAxis {
    std::size_t number;
    std::string axis; ///< its name, for errors
};

/// What becomes of an axis that positional indexing has left.
using PlannedAxis = std::variant<Positional, Dim, SplitAxis, AffineIndex, ComputedAxis>;

/// Takes as many axes as others leave over.
inline constexpr index_t kFills = -1;
/// How many axes an index takes, or `kFills`.
index_t axes_taken(const DimIndex& index);

/// What an indexing call means for the axes of a tensor, before any size is looked at.
struct IndexPlan {
    /// Throws `IndexError` for too many indexes, `DimError` for lists of dims of another length.
    IndexPlan(const DimOperand& x, std::span<const DimIndex> indexes,
              std::span<const std::string> axis_names, const char* what);

    /// Whether the user writes the indexes, and could write others.
    bool is_indexing() const noexcept { return std::string_view(what) == "indexing"; }

    /// Binds what was proposed, and the lists.
    void bind(std::span<const DimSize> sizes) const;

    const char* what;                 ///< names the operation in errors
    std::vector<TensorIndex> select;  ///< for all axes, dims first
    std::vector<PlannedAxis> axes;    ///< of what `select` leaves
    std::vector<DimOperand> computed; ///< the indexes that are no views
    DimVector dims;                   ///< of the result
    DimVector view_dims; ///< of the view that axes at computed indexes are still axes of
    int rank = 0;        ///< positional axes of the result

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
