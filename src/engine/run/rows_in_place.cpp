// Defines engine/run/runner.hpp.

#include "engine/run/runner.hpp"

#include <algorithm>
#include <cstddef>

namespace purview::inline v0_1::engine {

bool Runner::run_rows(index_t begin, index_t count, std::byte* destination, index_t stride_bytes,
                      index_t first_column, index_t columns) {
    const std::size_t rank = plan_.space.rank();
    if (!plan_.rows_in_place || begin % plan_.row != 0 || count % plan_.row != 0) return false;
    const TileProgram& program = std::get<TileStep>(plan_.steps[0]).program;
    const Translated* const translated = tiles_.of_any_count(program, count);
    if (translated == nullptr) return false;
    sources_[kResult] = {destination, stride_bytes};
    const std::size_t axis = rank - 2;
    boost::container::small_vector<std::ptrdiff_t, 32> strides(program.code.size(), 0);
    for (const Patch& patch : program.arrays) {
        const Array& array = plan_.arrays[patch.target];
        strides[patch.instruction] =
            plan_.space.operands[array.operand].strides[axis] * sources_[patch.target].stride_bytes;
    }
    seek(begin);
    for (index_t rows = count / plan_.row; rows > 0;) {
        const index_t together = std::min(rows, plan_.space.extents[axis] - coordinates_[axis]);
        for (std::size_t i = 0; i < plan_.arrays.size(); ++i) {
            const std::uint32_t operand = plan_.arrays[i].operand;
            const index_t at = positions_[operand] + first_column * inner_stride(operand);
            places_[i] = sources_[i].first + at * sources_[i].stride_bytes;
        }
        translated->rows_function()(TileRun::bind(program, code_.data(), places_.data()),
                                    &tiles_.state, 0, static_cast<std::size_t>(columns),
                                    static_cast<std::size_t>(together), strides.data());
        move_rows(together - 1);
        coordinates_[axis] += together - 1;
        next_row();
        rows -= together;
    }
    return true;
}

} // namespace purview::engine
