// What the host's processors would have to read or write in a device's memory: refused, or done there.
#include "gpu/device_places.hpp"

namespace {
using namespace gpu_tests;

TEST_CASE("elements, iterators, pointers and files of what lies on a device are refused") {
    at_every_computing_device(&families::access_to_elements);
}

TEST_CASE("pointers into a device's memory are refused") {
    at_every_computing_device(&families::pointers);
}

TEST_CASE("what is printed of a tensor on a device is copied, and the device is said") {
    at_every_computing_device(&families::printing);
}

TEST_CASE("what a tensor on a device says of itself needs no elements") {
    at_every_computing_device(&families::what_is_said);
}

TEST_CASE("views and parts that the device decides are the host's, or refused") {
    at_every_computing_device(&families::views);
}

TEST_CASE("assignments to what lies on a device are the host's, or refused") {
    at_every_computing_device(&families::assignments);
}

TEST_CASE("types that devices do not have are refused by name") {
    at_every_computing_device(&families::types_refused);
}

} // namespace
