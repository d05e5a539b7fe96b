// Defines engine/machine_code/tile_code.hpp.

#include "dtype/type_ids.hpp"
#include "engine/machine_code/tile_code.hpp"

#if defined(PURVIEW_JIT)

# include "engine/machine_code/x86_lowering.hpp"
# include "engine/machine_code/x86_values.hpp"

# include <cstddef>
# include <memory>
# include <string_view>

namespace purview::inline v0_1::engine {
namespace {

constexpr std::size_t kMostCodeBytes = std::size_t{32} << 10;

class Translator : X86Values {
public:
    Translator(const TileCode& program, const SegmentValues& values, bool wide, std::byte* memory)
        : X86Values(kMostCodeBytes, memory, wide, program, values), memory_(memory) {}

    using X86Values::takes_rest;

    /// The code; nothing if there is none.
    std::span<const std::byte> run() {
        if (!is_supported() || !plan()) return {};
        emit_function();
        return {memory_, getSize()};
    }

private:
    bool is_supported() const {
        if (!std::ranges::all_of(values_.values, [&](const Value& v) { return supports(v); }))
            return false;
        return !program_.accumulates() || counts() || supports(accumulation());
    }
    bool streams() const { return program_.end.form == Form::stream_last; }
    bool walks_rows() const { return !program_.accumulates(); }
    int tile_lanes() const { return kTileVectors * lanes(); }

    // --- the function ---------------------------------------------------------------------------

    void emit_function() {
        Xbyak::Label nothing;
        endbr64();
        test(rcx, rcx);
        jz(nothing, T_NEAR);
        choose_bases(counts() || walks_rows(), streams());
        push_saved();
        if (has_valid()) prepare_valid();
        if (takes_rest()) prepare_rest();
        for (std::uint32_t i = 0; i < accumulators(); ++i)
            vmovups(accumulator(i), ptr[r8 + static_cast<int>(i) * vector_bytes_]);
        if (counts()) mov(r8, ptr[r8]);
        load_bases();
        make_indexes();
        Xbyak::Label row;
        Xbyak::Label plain;
        Xbyak::Label done;
        load_constants(false);
        L(row);
        if (streams()) {
            cmp(byte[rsi + kStreams], 0);
            je(plain, T_NEAR);
            lea(rax, place(program_.last(), 0, false));
            test(rax, vector_bytes_ - 1);
            jnz(plain, T_NEAR);
            emit_loop(true, done);
            jmp(done, T_NEAR);
        }
        L(plain);
        emit_loop(false, done);
        L(done);
        if (takes_rest()) emit_rest();
        if (walks_rows()) emit_next_row(row);
        for (std::uint32_t i = 0; i < accumulators(); ++i)
            vmovups(ptr[r9 + static_cast<int>(i) * vector_bytes_], accumulator(i));
        if (counts()) mov(ptr[r9], r8);
        pop_saved();
        vzeroupper();
        L(nothing);
        ret();
        emit_data();
    }

    /// Moves all bases to the next row, if there is one.
    void emit_next_row(Xbyak::Label& row) {
        Xbyak::Label finished;
        cmp(r8, 1);
        jbe(finished, T_NEAR);
        dec(r8);
        for_each_base([&](std::uint32_t instruction, int reg) {
            const auto stride = ptr[r9 + static_cast<int>(instruction * sizeof(std::ptrdiff_t))];
            if (reg >= 0) return add(Xbyak::Reg64(reg), stride);
            mov(rax, stride);
            add(operand_of(instruction), rax);
        });
        xor_(Xbyak::Reg32(index().getIdx()), Xbyak::Reg32(index().getIdx()));
        load_constants(true);
        jmp(row, T_NEAR);
        L(finished);
    }

    // --- the loop -------------------------------------------------------------------------------

    void emit_loop(bool streams, Xbyak::Label& done) {
        const auto count = accumulators();
        const int tiles = count > kTileVectors ? 2 : 1;
        Xbyak::Label again;
        Xbyak::Label second;
        if (tiles == 2) {
            // The first tile may be the second half of an accumulator.
            test(index(), tile_lanes());
            jnz(second, T_NEAR);
        }
        if (takes_rest()) {
            cmp(index(), end());
            jae(done, T_NEAR);
        }
        align(32);
        L(again);
        for (int tile = 0; tile < tiles; ++tile) {
            if (tile == 1) L(second);
            emit_prefetches();
            const int vectors = static_cast<int>(plan_.vectors);
            for (int first = 0; first < kTileVectors; first += vectors)
                emit_vectors(first, vectors, tile * kTileVectors, streams);
            add(index(), tile_lanes());
            cmp(index(), end());
            if (tile + 1 == tiles)
                jb(again, T_NEAR);
            else
                jae(done, T_NEAR);
        }
    }

    // --- the rest -------------------------------------------------------------------------------

    /// Before the first row; the lanes are in rcx.
    void prepare_rest() {
        mov(r11d, ecx);
        and_(r11d, tile_lanes() - 1);
        if (walks_rows()) {
            mov(lanes_after_tiles(), r11);
            and_(r11d, lanes() - 1);
            find_overlapping();
        }
        prepare_partial();
    }

    void emit_rest() { walks_rows() ? emit_last_vectors() : emit_accumulated_rest(); }

    // Below the stack pointer, and what lies there for partial vectors.
    Xbyak::Address lanes_after_tiles() const { return qword[rsp - 24]; }
    Xbyak::Address overlaps_last() const { return qword[rsp - 32]; }

    /// Whether the last vector may begin among lanes that were written already: there are enough,
    /// and none is read from where it was written. (What is written is either not read, or by the
    /// same elements.)
    void find_overlapping() {
        Xbyak::Label no;
        mov(overlaps_last(), 0);
        cmp(rcx, lanes());
        jb(no, T_NEAR);
        load_base(program_.last());
        for (const Patch& patch : program_.arrays) {
            if (patch.instruction == program_.last()) continue;
            cmp(rax, operand_of(patch.instruction));
            je(no, T_NEAR);
        }
        mov(overlaps_last(), 1);
        L(no);
    }

    /// Stores whole vectors, one after another, and a last one that overlaps the one before, or is
    /// partial.
    void emit_last_vectors() {
        Xbyak::Label next;
        Xbyak::Label vector;
        Xbyak::Label last;
        Xbyak::Label partial;
        Xbyak::Label none;
        add(end(), lanes_after_tiles());
        L(next);
        lea(rax, ptr[index() + lanes()]);
        cmp(rax, end());
        ja(last, T_NEAR);
        L(vector);
        emit_vectors(0, 1, 0, false);
        add(index(), lanes());
        jmp(next, T_NEAR);
        L(last);
        cmp(index(), end());
        jae(none, T_NEAR);
        cmp(overlaps_last(), 0);
        je(partial, T_NEAR);
        lea(index(), ptr[end() - lanes()]);
        jmp(vector, T_NEAR);
        L(partial);
        emit_partial(0, 0);
        L(none);
        sub(end(), lanes_after_tiles());
    }

    /// An element is accumulated in the lane of its place in a tile, so that vectors stay where they
    /// are.
    void emit_accumulated_rest() {
        const int tiles = accumulators() > kTileVectors ? 2 : 1;
        Xbyak::Label second;
        Xbyak::Label none;
        if (tiles == 2) {
            test(index(), tile_lanes());
            jnz(second, T_NEAR);
        }
        for (int tile = 0; tile < tiles; ++tile) {
            if (tile == 1) {
                jmp(none, T_NEAR);
                L(second);
            }
            for (int vector = 0; vector < kTileVectors; ++vector) {
                cmp(part_lanes(), vector * lanes());
                jbe(none, T_NEAR);
                emit_partial(vector, tile * kTileVectors);
            }
        }
        L(none);
    }

    void emit_partial(int vector_of_tile, int before) {
        partial_ = true;
        begin_partial(vector_of_tile);
        emit_vectors(vector_of_tile, 1, before, false);
        partial_ = false;
    }

    static constexpr int kStreams = offsetof(TileState, streams);

    std::byte* memory_;
};

} // namespace

bool translates(const KernelTable& kernels) noexcept {
    return std::string_view(kernels.name) == "avx512" || std::string_view(kernels.name) == "avx2";
}

Translated translate(const KernelTable& kernels, const TileCode& program) noexcept {
    if (!translates(kernels) || program.lane_bytes < 4) return {};
    const bool wide = std::string_view(kernels.name) == "avx512";
    try {
        const std::optional<SegmentValues> values = lowered_for_x86(program);
        if (!values) return {};
        const auto memory = std::make_unique_for_overwrite<std::byte[]>(kMostCodeBytes);
        Translator translator(program, *values, wide, memory.get());
        return {ExecutableMemory(translator.run()), translator.takes_rest()};
    } catch (...) { // too long, or no memory for it
        return {};
    }
}

} // namespace purview::engine

#else

namespace purview::inline v0_1::engine {

bool translates(const KernelTable&) noexcept { return false; }
Translated translate(const KernelTable&, const TileCode&) noexcept { return {}; }

} // namespace purview::engine

#endif
