/// A straight line through points that lie on many ranks: each computes the gradient of its own loss, and gradients are added up; and
/// the same where the points are distributed tensors.

#include "check.hpp"

#include <purview/functional/applied/gradient.hpp>
#include <purview/mpi/mpi.hpp>
#include <purview/purview.hpp>

#include <cmath>

namespace pv = purview;
namespace pm = purview::mpi;

int main(int argc, char** argv) {
    const pm::Environment environment(argc, argv);
    const pm::Communicator world;
    // Points of this rank alone, around 3x - 1.
    const pv::index_t n = 1000 + 10 * world.rank();
    auto x = pv::clone(pv::linspace(0, 1, n));
    auto y = pv::clone(3 * x - 1 + 0.1 * pv::sin(50 * x));

    // [steps]
    auto loss = pv::computation([&](auto w) { return pv::sum(pv::sq(w(0) * x + w(1) - y)); },
                                pv::spec<double>({2}));
    auto value_and_gradient = pv::value_and_gradient(loss);

    auto w = pv::tensor({0.0, 0.0});                  // the same on all ranks, and stays so
    const pv::index_t points = pm::all_sum(n, world); // of all ranks
    for (int step = 0; step < 400; ++step) {
        auto [value, gradient] = value_and_gradient(w); // of this rank's points
        w -= 0.5 / static_cast<double>(points) *
             pm::all_sum(gradient, world); // added up in one order
    }
    // [/steps]
    const double error = pm::all_sum(double(loss(w)), world) / static_cast<double>(points);
    check(std::abs(double(w(0)) - 3) < 0.1 && std::abs(double(w(1)) + 1) < 0.1,
          "the line is found");
    check(error < 0.006, "what is left is the noise");
    // The same bits on all ranks.
    check(pm::all_sum(double(w(0)), world) == double(w(0)) * world.size() || world.size() > 2,
          "all ranks have the same line");
    // [whole]
    auto t = pv::linspace(0, 1, 4000);
    auto d = pm::blocks({4000}, pm::Grid(world, {-1}));
    auto at = pm::distribute(t, d), seen = pm::distribute(3 * t - 1 + 0.1 * pv::sin(50 * t), d);

    auto mean_error = pv::computation(
        [&](auto slope, auto offset) {
            return pv::mean(pv::sq(slope * at.global() + offset - seen.global()));
        },
        pv::spec<double>(), pv::spec<double>());
    auto whole = pm::value_and_gradient(mean_error);
    double slope = 0, offset = 0;
    for (int step = 0; step < 400; ++step) {
        auto [value, by_slope, by_offset] = whole(slope, offset); // one message for the three
        slope -= 0.5 * by_slope;
        offset -= 0.5 * by_offset;
    }
    // [/whole]
    check(std::abs(slope - 3) < 0.1 && std::abs(offset + 1) < 0.1,
          "the line of all points is found");
    return exit_status();
}
