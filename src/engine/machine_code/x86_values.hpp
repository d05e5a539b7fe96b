#pragma once

#include "engine/machine_code/x86_operands.hpp"

#include <vector>

namespace purview::inline v0_1::engine {

/// Emits the values of a program, a few vectors of each at a time. While `partial_`, only some lanes
/// of a vector have an element: the others get one that is there, so that they raise no exception of
/// their own, and nothing is read or written beyond it. With AVX-512, masks of all vectors of a tile
/// say which; with AVX2, one that `begin_partial` loads.
class X86Values : public X86Operands {
protected:
    using X86Operands::X86Operands;

    bool has_valid() const {
        return std::ranges::find(values_.values, Kind::valid, &Value::kind) != values_.values.end();
    }
    bool counts() const { return program_.accumulates() && program_.end.op == TileOp::count; }
    /// Of a value with the accumulator.
    Value accumulation() const {
        return {.kind = Kind::binary,
                .op = program_.end.op,
                .lane = program_.end.lane,
                .type = program_.end.lane};
    }
    /// Registers that hold the accumulator.
    std::uint32_t accumulators() const;
    Xmm accumulator(std::uint32_t index) const { return vector(index); }

    /// Gives the values registers. False: there are too few.
    bool plan();
    /// Whether the code takes any number of lanes, and not only those of whole tiles.
    bool takes_rest() const { return takes_rest_; }

    /// Constants into their registers; only those that differ from row to row, or all.
    void load_constants(bool of_rows_alone);
    /// Computes `count` vectors from the `first` of a tile on. `before`: vectors of the accumulator
    /// that belong to tiles before this one.
    void emit_vectors(int first, int count, int before, bool streams);

    void prepare_valid();
    void make_valid_masks(const Xbyak::Reg64& lanes_with_elements);
    static Xbyak::Opmask valid_mask(int vector_of_tile) {
        return Xbyak::Opmask(4 + vector_of_tile);
    }
    /// The numbers of the lanes of a tile.
    void emit_data();

    // AVX2's partial vectors. Below the stack pointer lie the number of lanes with an element, from
    // the index on, and where the masks of a tile are read.
    Xbyak::Address part_lanes() const { return qword[rsp - 8]; }
    Xbyak::Address part_masks() const { return qword[rsp - 16]; }
    /// Writes both; r11: the number of lanes.
    void prepare_partial();
    /// Loads the mask of a vector whose first lane has an element.
    void begin_partial(int vector_of_tile);

    RegisterPlan plan_;
    bool partial_ = false;

private:
    Xmm held(std::uint32_t id, int k) const;
    /// Two that hold nothing while one vector of each value is computed. False: there are none.
    bool find_partial_registers();
    Xmm partial_mask() const { return vector(partial_registers_[0]); }
    Xmm partial_spare() const { return vector(partial_registers_[1]); }

    void load(const Xmm& to, std::uint32_t instruction, int vector_of_tile);
    void load_some_bools(const Xmm& to, std::uint32_t instruction, int vector_of_tile);
    void emit_end(const Xmm& result, int vector_of_tile, int before, bool streams);
    void emit_accumulation(const Xmm& result, int vector_of_tile, int before);
    void accumulate(const Xmm& to, const Xmm& before, const Xmm& result);
    void store(const Xmm& result, int vector_of_tile, bool streams);
    void store_some_bools(const Xmm& result, int vector_of_tile);
    /// Calls f(i) for the lanes from `first` on of a vector that have an element.
    template <typename F>
    void for_each_part_lane(int vector_of_tile, int first, F f);
    /// to = x in lanes with an element, and zeros.
    void keep_some(const Xmm& to, const Xmm& x, int vector_of_tile);

    template <typename F>
    void with_y(std::uint32_t id, int first, int k, F f);
    void emit_value(std::uint32_t id, int first, int count);
    void emit_choice(const Value& value, const Xmm& to, int first, int k);
    void emit_valid(const Value& value, const Xmm& to, int vector_of_tile, int k);
    Xmm valid_lanes() const { return vector(14); }

    std::vector<std::uint32_t> partial_registers_;
    bool takes_rest_ = false;
    Xbyak::Label numbers_;
};

} // namespace purview::engine
