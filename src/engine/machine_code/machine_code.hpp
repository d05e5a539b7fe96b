#pragma once

#include "engine/kernels/table/kernel_table.hpp"
#include "engine/machine_code/executable_memory.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace purview::inline v0_1::engine {

struct TileCode;

/// As `RunTiles`, for one program and a number of lanes: those of whole tiles, unless it takes any
/// number. One that accumulates begins with the accumulator at `from` and
/// writes what it ends as to `to`; the accumulator of its instructions is not used. Both are aligned
/// as accumulators are, and may be the same.
using MachineFunction = void (*)(const Instruction* program, TileState* state,
                                 std::size_t first_byte, std::size_t lanes, const void* from,
                                 void* to);

/// The same of a program that stores: one that takes any number of lanes runs on `rows` rows of them,
/// from byte 0 of each. From one row to the next, the operand of each instruction that is an array
/// moves by its entry in `strides`; operands of the program may be changed meanwhile.
using RowsFunction = void (*)(const Instruction* program, TileState* state, std::size_t first_byte,
                              std::size_t lanes, std::size_t rows, const std::ptrdiff_t* strides);

/// When programs are translated to machine code.
enum class Translation : std::uint8_t {
    never,
    when_worthwhile, ///< once a program has run for long
    at_once          ///< before its first run
};
/// At first `when_worthwhile`, or what the environment variable PURVIEW_JIT says: `never` for "off",
/// `at_once` for "always". This is for tests; programs that are translated already stay so.
void set_translation(Translation translation) noexcept;
/// Whether there is machine code for programs of these kernels.
bool translates(const KernelTable& kernels) noexcept;
/// Whether products and extremes of integers of 8 bytes are translated, if any programs are.
bool has_all_of_long_integers(const KernelTable& kernels) noexcept;
/// Whether the code takes any number of lanes, and rows, and programs are translated now.
bool goes_from_row_to_row(const KernelTable& kernels) noexcept;

/// A program as machine code.
struct Translated {
    ExecutableMemory code; ///< empty: there is none
    bool takes_any_count = false;

    MachineFunction function() const noexcept {
        return reinterpret_cast<MachineFunction>(code.data());
    }
    /// Of a program that stores, if it takes any count.
    RowsFunction rows_function() const noexcept {
        return reinterpret_cast<RowsFunction>(code.data());
    }
};

/// The machine code of one program. The program runs as threaded code until it has run for so long
/// that a translation is worth its time; or for ever, if there is no translation.
class MachineCode {
public:
    MachineCode() = default;
    /// Nothing may run the other one.
    MachineCode(MachineCode&& other) noexcept { *this = std::move(other); }
    MachineCode& operator=(MachineCode&& other) noexcept {
        time_ = other.time_.load();
        exists_ = other.exists_.exchange(false);
        translated_ = std::move(other.translated_);
        return *this;
    }
    ~MachineCode() = default;

    /// Null if the program has to run as threaded code. Counts a run of `lanes` lanes.
    const Translated* translated(const KernelTable& kernels, const TileCode& program,
                                 std::size_t lanes) const noexcept {
        const bool made = exists() || (time_.load(std::memory_order_relaxed) < kNoMore &&
                                       count_run(kernels, program, lanes));
        return made ? &translated_ : nullptr;
    }
    /// Whether the program was translated.
    bool exists() const noexcept { return exists_.load(std::memory_order_acquire); }

private:
    static constexpr std::uint64_t kNoMore = std::uint64_t{1} << 62;

    bool count_run(const KernelTable& kernels, const TileCode& program,
                   std::size_t lanes) const noexcept;

    mutable std::atomic<std::uint64_t> time_{0}; ///< nanoseconds that runs took, roughly
    mutable std::atomic<bool> exists_{false};
    // Written by the thread that brings the time to kNoMore, before `exists_`.
    mutable Translated translated_;
};

/// Runs a program's code, which is bound to its operands: the translation if there is one.
void run_program(const KernelTable& kernels, const TileCode& program, const Instruction* code,
                 TileState& state, std::size_t first_byte, std::size_t tiles, void* accumulator);
/// The same for `FoldTiles`.
void fold_program(const KernelTable& kernels, const TileCode& program, const Instruction* code,
                  TileState& state, std::size_t first_byte, std::size_t tiles, std::size_t folds,
                  const void* start, void* accumulator, void* out);

} // namespace purview::engine
