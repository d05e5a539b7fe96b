#pragma once

#include "dtype/element_block.hpp"
#include "engine/run/runner.hpp"

#include <memory>
#include <optional>

namespace purview::engine {

/// The values that a scatter writes, in row-major order. Read where they lie, or computed a block at a time between writes,
/// where neither can fail nor meet what is written; all before the first write otherwise.
class ScatteredValues {
public:
    /// `written`: all that may be. `block`: elements that are asked for at a time, at most. Throws what computing throws.
    ScatteredValues(const Operand& source, const Operand& written, index_t block);
    ~ScatteredValues();
    ScatteredValues(const ScatteredValues&) = delete;
    ScatteredValues& operator=(const ScatteredValues&) = delete;

    /// The elements [begin, begin + count), valid until the next call. Cannot fail.
    const std::byte* read(index_t begin, index_t count);

private:
    const std::byte* memory_ = nullptr; ///< of all
    index_t size_;
    std::optional<ElementBlock> elements_; ///< all, or a block
    std::unique_ptr<const Values> values_;
    std::shared_ptr<const Plan> plan_;
    std::unique_ptr<Runner> runner_;
};

} // namespace purview::engine
