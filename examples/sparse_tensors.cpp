/// Sparse tensors: pairs of indexes and values with any fill, through views, operations and reductions.

#include "check.hpp"
#include "next_generation.hpp"

#include <purview/purview.hpp>

#include <cstdint>
#include <iostream>
#include <utility>
#include <vector>

void build_and_compute() {
    // [build]
    auto x = pv::from_coo<double>({1'000'000, 1'000'000},                // 10¹² elements
                                  {{3, 70'000, 999'999}, {5, 8, 1'000}}, // rows, columns
                                  {1., 2., 3.});
    auto y = pv::sparse_tensor<double>({1'000'000, 1'000'000}, {3'000'005}, {10.});
    auto z = pv::transpose(x + y * 2) | pv::rotate({0, 1}) | pv::clone; // two merges of pairs
    double total = pv::sum(z);                                          // 26
    auto rows = pv::sum(x, 1); // a sparse vector of 10⁶ elements, of which 3 are stored
    // [/build]
    check(pv::is_sparse(z) && pv::sparse_pairs(z)->stored() == 3, "z is sparse");
    check(z(5, 4) == 21, "element (3, 5) was transposed and rotated");
    check(total == 26, "the sum counts what is stored");
    check(pv::sparse_pairs(rows)->stored() == 3, "rows are sparse");
}

void fills() {
    // [fills]
    auto x = pv::sparse_tensor<double>({1000}, {7}, {1.}); // 0 elsewhere
    auto y = pv::exp(x) | pv::clone;                       // 1 elsewhere
    double mean = pv::mean(y);                             // counts the fill, 999 times
    auto places = pv::argfilter(y > 1.5);                  // [7], found among what is stored
    // [/fills]
    check(pv::sparse_pairs(y)->fill() == 1, "the fill is mapped too");
    check(mean > 1.0017 && mean < 1.0018, "the mean of mostly ones");
    check(places.size() == 1 && places(0) == 7, "one place");
}

void decided() {
    // [decided]
    auto x = pv::from_coo<double>({1'000'000'000, 1'000'000'000}, {{3, 70}, {5, 8}}, {2., 3.});
    auto noise = pv::random_like(x, 1);              // 10¹⁸ computed elements
    auto product = x * noise;                        // lazily dense: 0 · ∞ would be NaN
    auto noisy = pv::where(x != 0., product, 0.);    // sparse: 2 elements are computed
    auto small = (x != 0.) && (noise < 0.5);         // sparse: false && anything is false
    auto upper = pv::triu(x);                        // sparse
    auto kept = pv::clone(noisy + pv::transpose(x)); // 4 pairs
    // [/decided]
    check(!pv::is_sparse(product) && pv::is_sparse(noisy) && pv::is_sparse(small), "decided");
    check(pv::sparse_pairs(kept)->stored() == 4, "2 of each");
    check(kept(3, 5) == 2 * noise(3, 5) && kept(5, 3) == 2, "the product, and what was turned");
    check(pv::sum(upper) == 2, "one lies above the diagonal");
}

void normalised() {
    // [normalised]
    auto links =
        pv::from_coo<double>({1'000'000, 1'000'000}, {{3, 3, 70}, {5, 9, 8}}, {2., 6., 3.});
    auto degree = pv::sum(links, 1, pv::keep_dims); // [n, 1], sparse
    auto rows = pv::clone(links / pv::where(degree == 0., 1., degree));
    auto many = pv::clone(links > degree * 0.5);   // bools, true where more than half of a row is
    auto count = pv::sparse_pairs(rows)->stored(); // 3
    // [/normalised]
    check(count == 3 && pv::sum(rows) == 2 && rows(3, 9) == 0.75,
          "each row with links has the sum 1");
    check(pv::count_true(many) == 2, "two are more than half");
}

void kinds() {
    // [kinds]
    auto sparse = pv::sparse_tensor<double>({4}, {1}, {5.});
    auto dense = pv::ones({4});
    auto sum = sparse + dense;          // computed, lazily dense
    auto back = pv::to_sparse(sum, 1.); // pairs where it is not 1
    auto memory = pv::to_dense(sparse); // memory of 4 elements
    sparse(2) = 7.;                     // stored
    pv::copy(memory * 2, sparse);       // what is 0 is not stored
    auto pruned = sparse | pv::prune;   // a copy without explicit zeros
    // [/kinds]
    check(!pv::is_sparse(sum) && pv::is_sparse(back), "kinds");
    check(pv::sparse_pairs(back)->stored() == 1, "one differs from 1");
    check(pv::sparse_pairs(pruned)->stored() == 1 && pruned(1) == 10, "10 is left");
}

void buffers() {
    // [buffers]
    auto buffer =
        std::make_shared<pv::SparseBuffer<float>>(pv::index_t{1} << 40, -1.f); // -1 everywhere
    buffer->set_constant(100, 110, 0.5f);
    buffer->write_indexes(std::vector<pv::index_t>{7, 3}, std::vector<float>{70, 30});
    auto matrix = pv::sparse_tensor({1 << 20, 1 << 20}, buffer); // shares the buffer
    // [/buffers]
    check(buffer->stored() == 12, "12 are stored");
    check(matrix(0, 3) == 30 && matrix(1, 0) == -1, "the tensor reads the buffer");
}

void game_of_life() {
    // [life]
    Board board = pv::sparse_zeros<bool>({2160, 3840});
    const std::vector<std::pair<int, int>> r_pentomino{
        {1080, 1921}, {1080, 1922}, {1081, 1920}, {1081, 1921}, {1082, 1921}};
    for (const auto& [y, x] : r_pentomino) board(y, x) = true;
    for (int generation = 0; generation < 1000; ++generation) board = next_generation(board);
    // [/life]
    std::cout << "after 1,000 generations: " << pv::sum(board) << " alive\n";
    check(pv::is_sparse(board), "the board stays sparse");
    // Known of the R-pentomino: 156 cells are alive in generation 1,000.
    check(pv::sum(board) == 156, "156 are alive");
}

int main() {
    build_and_compute();
    fills();
    decided();
    normalised();
    kinds();
    buffers();
    game_of_life();
    return exit_status();
}
