#pragma once

#include "engine/kernels/table/kernel_table.hpp"
#include "engine/machine_code/executable_memory.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace purview::inline v0_1::engine {

struct ThreadedCode;

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
/// Whether the code takes any number of lanes, and rows, and programs are translated now.
bool goes_from_row_to_row(const KernelTable& kernels) noexcept;

/// The machine code of one program. The program runs as threaded code until it has run for so long
/// that a translation is worth its time; or for ever, if there is no translation.
class MachineCode {
public:
    MachineCode() = default;
    /// Nothing may run the other one.
    MachineCode(MachineCode&& other) noexcept
        : time_(other.time_.load()),
          function_(other.function_.exchange(nullptr)),
          takes_rest_(other.takes_rest_),
          memory_(std::move(other.memory_)) {}
    MachineCode& operator=(MachineCode&& other) noexcept {
        time_ = other.time_.load();
        function_ = other.function_.exchange(nullptr);
        takes_rest_ = other.takes_rest_;
        memory_ = std::move(other.memory_);
        return *this;
    }
    ~MachineCode() = default;

    /// Null if the program has to run as threaded code. Counts a run of `lanes` lanes.
    MachineFunction function(const KernelTable& kernels, const ThreadedCode& program,
                             std::size_t lanes) const noexcept {
        const MachineFunction made = function_.load(std::memory_order_acquire);
        if (made != nullptr) [[likely]]
            return made;
        if (time_.load(std::memory_order_relaxed) >= kNoMore) return nullptr;
        return count_run(kernels, program, lanes);
    }
    /// The same, if it takes any number of lanes.
    MachineFunction function_of_any_count(const KernelTable& kernels, const ThreadedCode& program,
                                          std::size_t lanes) const noexcept {
        const MachineFunction made = function(kernels, program, lanes);
        return made != nullptr && takes_rest_ ? made : nullptr;
    }
    /// The same of a program that stores, for rows.
    RowsFunction rows_function(const KernelTable& kernels, const ThreadedCode& program,
                               std::size_t lanes) const noexcept {
        return function_of_any_count(kernels, program, lanes) == nullptr
                   ? nullptr
                   : reinterpret_cast<RowsFunction>(memory_.data());
    }
    /// Whether the program was translated.
    bool exists() const noexcept { return function_.load(std::memory_order_acquire) != nullptr; }
    bool takes_any_count() const noexcept { return exists() && takes_rest_; }

private:
    /// A translation takes a few tens of microseconds.
    static constexpr std::uint64_t kWorthwhile = 100'000;
    static constexpr std::uint64_t kNoMore = std::uint64_t{1} << 62;

    MachineFunction count_run(const KernelTable& kernels, const ThreadedCode& program,
                              std::size_t lanes) const noexcept;

    mutable std::atomic<std::uint64_t> time_{0}; ///< nanoseconds that runs took, roughly
    mutable std::atomic<MachineFunction> function_{nullptr};
    // Written by the thread that brings the time to kNoMore, before the function.
    mutable bool takes_rest_ = false;
    mutable ExecutableMemory memory_;
};

/// Runs a program's code, which is bound to its operands: the translation if there is one.
void run_program(const KernelTable& kernels, const ThreadedCode& program, const Instruction* code,
                 TileState& state, std::size_t first_byte, std::size_t tiles, void* accumulator);
/// The same for `FoldTiles`.
void fold_program(const KernelTable& kernels, const ThreadedCode& program, const Instruction* code,
                  TileState& state, std::size_t first_byte, std::size_t tiles, std::size_t folds,
                  const void* start, void* accumulator, void* out);

} // namespace purview::engine
