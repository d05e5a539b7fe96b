/// Prints a line for each operation and type: a hash of the bits of its results, of numbers that a seed decides. scripts/aarch64.sh
/// compares what it prints on two machines.

#include "bits.hpp"

int main() {
    lines_of_elements();
    lines_of_folds();
    lines_of_orders();
}
