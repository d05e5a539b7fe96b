#pragma once

#include <purview/expression/node.hpp>

#include <utility>

namespace purview::inline v0_1 {

/// `results_like` for results of what may be larger than memory: those beyond the memory limit are an array of chunks in
/// a temporary file, which goes with its last owner. Zeros where nothing is assigned. Throws as `TemporaryFile` does.
Operand large_results(const char* what, const Operand& source, DType dtype, ShapeSpan shape);

/// Results that become known in their order, some at a time.
class AppendedResults {
public:
    /// `size` of them, as `large_results`.
    AppendedResults(const char* what, const Operand& source, DType dtype, index_t size)
        : AppendedResults(large_results(what, source, dtype, ShapeSpan(&size, 1))) {}
    /// Assigns those of an operand, along its first axis.
    explicit AppendedResults(Operand all) : all_(std::move(all)) {}

    /// The next ones, which are not sparse.
    void append(const Operand& next);
    const Operand& all() const noexcept { return all_; }
    Operand in_shape(ShapeSpan shape) const;

private:
    Operand all_;
    index_t size_ = 0; ///< of those that are known
};

} // namespace purview
