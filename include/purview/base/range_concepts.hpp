#pragma once

// The concepts, traits and customisation points of ranges and iterators, without <ranges> and <iterator>,
// which cost every user a tenth of a second to compile: <span> has constructors from contiguous and sized
// ranges and iterators, and so brings all of them in each standard library.

#include <span>
