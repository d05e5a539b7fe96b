#pragma once

#include <purview/expression/node.hpp>

#include <utility>

namespace purview::inline v0_1 {

/// `results_like` for results of what may be larger than memory: those beyond the memory limit are an array of chunks in
/// a temporary file, which goes with its last owner. Zeros where nothing is assigned. Throws as `TemporaryFile` does.
Operand large_results(const char* what, const Operand& source, DType dtype, ShapeSpan shape);

/// Chunks in a temporary file, however few: numbers or complex numbers, which become known in steps. Zeros where nothing
/// is assigned. Throws as `TemporaryFile` does.
PURVIEW_EXPORT Operand temporary_results(const char* what, DType dtype, ShapeSpan shape);

/// Results that become known in their order, some at a time. Those in chunks are written as they come, whatever chunks
/// they begin and end in.
class AppendedResults {
public:
    /// `size` of them, as `large_results`.
    AppendedResults(const char* what, const Operand& source, DType dtype, index_t size);
    /// Assigns those of an operand, along its first axis.
    explicit AppendedResults(Operand all) : all_(std::move(all)) {}

    /// The next ones, which are not sparse.
    void append(const Operand& next) { append(next, false); }
    /// Those that are in memory stay as they are until the next call returns, or that of a function below.
    void append_kept(const Operand& next) { append(next, true); }
    const Operand& all() const;
    Operand in_shape(ShapeSpan shape) const;

    class Line; ///< a list in a file

private:
    void append(const Operand& next, bool kept);

    Line* line_ = nullptr; ///< of `all_`, if they are in chunks
    Operand all_;
    index_t size_ = 0; ///< of those that are known
};

} // namespace purview
