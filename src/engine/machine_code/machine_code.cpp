#include "engine/machine_code/machine_code.hpp"

#include "engine/machine_code/tile_code.hpp"
#include "engine/places/costs.hpp"

#include <cstdlib>
#include <string_view>

namespace purview::inline v0_1::engine {
namespace {

std::atomic<Translation>& translation_now() noexcept {
    static std::atomic<Translation> translation = [] {
        const char* const variable = std::getenv("PURVIEW_JIT");
        const std::string_view wanted = variable == nullptr ? "" : variable;
        return wanted == "off"      ? Translation::never
               : wanted == "always" ? Translation::at_once
                                    : Translation::when_worthwhile;
    }();
    return translation;
}

} // namespace

void set_translation(Translation translation) noexcept { translation_now() = translation; }

bool has_all_of_long_integers(const KernelTable& kernels) noexcept {
    return std::string_view(kernels.name) == "avx512";
}

bool goes_from_row_to_row(const KernelTable& kernels) noexcept {
    return translates(kernels) &&
           translation_now().load(std::memory_order_relaxed) != Translation::never;
}

bool MachineCode::count_run(const KernelTable& kernels, const TileCode& program,
                            std::size_t lanes) const noexcept {
    const Translation translation = translation_now().load(std::memory_order_relaxed);
    if (translation == Translation::never) return false;
    const std::uint64_t run = costs::kProgramRun + lanes / costs::kLanesPerNanosecond;
    const std::uint64_t time = time_.fetch_add(run, std::memory_order_relaxed) + run;
    if (time < costs::kWorthTranslating && translation != Translation::at_once) return false;
    if (time_.fetch_or(kNoMore) >= kNoMore) return false; // another thread translates it
    translated_ = translate(kernels, program);
    const bool made = translated_.code.data() != nullptr;
    exists_.store(made, std::memory_order_release);
    return made;
}

void run_program(const KernelTable& kernels, const TileCode& program, const Instruction* code,
                 TileState& state, std::size_t first_byte, std::size_t tiles, void* accumulator) {
    const std::size_t lanes = tiles * (kernels.tile_bytes / program.lane_bytes);
    if (!program.accumulates()) accumulator = nullptr; // one row
    if (const auto* const translated = program.machine_code.translated(kernels, program, lanes))
        translated->function()(code, &state, first_byte, lanes, accumulator, accumulator);
    else
        kernels.run_tiles(code, &state, first_byte, tiles);
}

void fold_program(const KernelTable& kernels, const TileCode& program, const Instruction* code,
                  TileState& state, std::size_t first_byte, std::size_t tiles, std::size_t folds,
                  const void* start, void* accumulator, void* out) {
    const std::size_t lanes = tiles * (kernels.tile_bytes / program.lane_bytes);
    const auto* const translated = program.machine_code.translated(kernels, program, lanes * folds);
    if (translated == nullptr)
        return kernels.fold_tiles(code, &state, first_byte, tiles, folds, start, accumulator, out);
    for (std::size_t i = 0; i < folds; ++i)
        translated->function()(code, &state, first_byte + i * tiles * kernels.tile_bytes, lanes,
                               start, static_cast<std::byte*>(out) + i * kAccumulatorBytes);
}

} // namespace purview::engine
