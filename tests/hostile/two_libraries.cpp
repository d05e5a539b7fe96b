#include "hostile/check.hpp"

#include <thread>

// Two libraries, each with a Purview of its own inside, in one process: linked, not loaded, so that what either leaves
// visible would meet the other's.
extern "C" void evaluate_everything_in_first();
extern "C" void evaluate_everything_in_second();

int main() {
    evaluate_everything_in_first();
    evaluate_everything_in_second();
    std::thread other(evaluate_everything_in_second);
    evaluate_everything_in_first();
    other.join();
}
