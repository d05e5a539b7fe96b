// Functions of the catalogue on what lies on a device: the host's results, or errors that name a way out.
#include "gpu/device_places.hpp"

namespace {
using namespace gpu_tests;

TEST_CASE("sorts, searches and groups on a device are the host's, or refused") {
    at_every_computing_device(&families::sorts_and_searches);
}

TEST_CASE("scans and windows on a device are the host's, or refused") {
    at_every_computing_device(&families::scans_and_windows);
}

TEST_CASE("reductions and statistics on a device are the host's, or refused") {
    at_every_computing_device(&families::reductions_and_statistics);
}

TEST_CASE("products, softmax and computations on a device are the host's, or refused") {
    at_every_computing_device(&families::products_and_computations);
}

} // namespace
