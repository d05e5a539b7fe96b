#pragma once

#include <purview/base/function_ref.hpp>

#include "dtype/element_block.hpp"
#include "reader/chunk_cache.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace purview::inline v0_1::engine {

/// Results of a part of a reduction: trivial values, which count towards the memory limit.
struct PartialBlock {
    PartialBlock(index_t bytes, const char* what)
        : counted(bytes, what), memory(kDType<std::uint8_t>, bytes) {}

    CountedBytes counted;
    ElementBlock memory;
};

/// Makes of results those of two parts: `into` is of the part that comes first.
using JoinResults = FunctionRef<void(void* into, const void* more, index_t count)>;

/// Results of parts, joined to those of the whole in a tree that depends on the number of parts
/// alone, whatever the order in which they are found.
class PartialResults {
public:
    PartialResults(JoinResults join, index_t count, index_t parts)
        : join_(join), count_(count), parts_(parts) {}

    /// Adds the `count` results of part `number`, from any thread. Returns those of the whole to the
    /// caller who adds the last part, else null.
    std::unique_ptr<PartialBlock> add(index_t number, std::unique_ptr<PartialBlock> block);

private:
    JoinResults join_;
    index_t count_;
    index_t parts_;
    std::mutex mutex_;
    std::map<std::pair<int, index_t>, std::unique_ptr<PartialBlock>>
        waiting_; ///< by level and number: those whose neighbour is not there yet
};

} // namespace purview::engine
