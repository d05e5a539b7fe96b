#pragma once

#include "engine/realise/realised_operand.hpp"
#include "engine/threads/watch.hpp"

namespace purview::inline v0_1::engine {

/// What an operation begins with: it is named for those who watch it, what it would compute again and
/// again is realised, and so are arrays of chunks. `*entered` is the source to read.
class EnteredOperation {
public:
    EnteredOperation(const char* what, const Operand& given)
        : watched_(what), source_(what, given) {}

    const Operand& operator*() const noexcept { return *source_; }

private:
    WatchedOperation watched_;
    RealisedOperand source_;
};

} // namespace purview::engine
