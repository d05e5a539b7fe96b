#pragma once

#include <cstdint>

/// The times that the engine's decisions compare: nanoseconds on one thread, roughly, as they only
/// have to tell large differences apart. Measured on an AMD EPYC (Zen 4, AVX-512, two cores) until
/// November 2026. What caches hold: cache_sizes.hpp.
namespace purview::inline v0_1::engine::costs {

// threads (docs/design/threads.md): waking one takes some 50 µs; one that is awake finds work in two
inline constexpr double kWorthAsleep = 100'000;     ///< work for several threads, perhaps asleep
inline constexpr double kWorthAwake = 8'000;        ///< and for threads that are awake
inline constexpr std::int64_t kStaysAwake = 50'000; ///< it looks for work so long

// machine_code
inline constexpr std::uint64_t kProgramRun = 200;       ///< a run of a program, besides its lanes
inline constexpr std::uint64_t kLanesPerNanosecond = 4; ///< of a program, each nanosecond
inline constexpr std::uint64_t kWorthTranslating = 100'000; ///< translating takes tens of µs

// compile: an element of a plan
inline constexpr double kCachedByte = 0.008;        ///< a byte, from the second-level cache
inline constexpr double kMovedElement = 0.3;        ///< an element moved by itself
inline constexpr double kCalledElement = 2;         ///< an element by a user's function or a reader
inline constexpr double kLaneByte = 0.0025;         ///< an instruction, for each byte of a lane
inline constexpr double kFunctionInstructions = 40; ///< that take as long as a function

// run
inline constexpr double kLeastRange = 3'000; ///< the least work in a range for a thread

// copy
inline constexpr double kCopiedByte = 0.1; ///< a byte read and written at the speed of memory

// realise
inline constexpr double kPreparedScope = 2000;  ///< preparing an evaluation of its own
inline constexpr double kCheapOperation = 0.25; ///< an operation on an element
inline constexpr double kTranscendental = 3;    ///< a transcendental function of an element
inline constexpr double kUserFunction = 10;     ///< a user's function of an element
inline constexpr double kMostOfElement = 16; ///< an element of a graph, at most: parts are realised
inline constexpr double kPlacedElement = 1.5;  ///< an element put in its place
inline constexpr double kGatheredElement = 2;  ///< an element at an index
inline constexpr double kShortRun = 12;        ///< a few elements computed by themselves
inline constexpr double kWrittenElement = 0.7; ///< an element written to memory
inline constexpr double kReadElement = 0.3;    ///< and read from there
inline constexpr double kNearElement = 0.6;    ///< an element near the last, or in a cache
inline constexpr double kSpreadElement = 3;    ///< an element gathered from anywhere
inline constexpr double kFarElement = 6;       ///< and in more than the caches hold
inline constexpr double kElementInLine = 0.4;  ///< an element gathered with its neighbours
inline constexpr double kAffordable = 1e8;     ///< lazy evaluations of up to so long are affordable
inline constexpr double kLongEvaluation = 1e9; ///< those of so long are refused if they repeat much

// reduce
inline constexpr double kGatheredRow = 4;        ///< a row that is gathered and added
inline constexpr double kGatheredRowByte = 0.03; ///< and each of its bytes
inline constexpr double kSoftmaxElement = 0.3;
inline constexpr double kFoldedComplex = 0.7; ///< a complex number that is read and folded

// along
inline constexpr double kScannedElement = 0.5;
inline constexpr double kWindow = 0.5;         ///< a result of a rolling fold
inline constexpr double kWindowTap = 0.1;      ///< an element of a window with weights
inline constexpr double kWindowVariance = 1.5; ///< a result of a rolling variance

// selecting
inline constexpr double kWrittenIndex = 0.4; ///< the index of a true element

// order
inline constexpr double kSelectedElement = 1.5; ///< of a percentile
inline constexpr double kBinnedElement = 0.5;   ///< of a histogram
inline constexpr double kSortedValue = 8;
inline constexpr double kSortedIndex = 10;
inline constexpr double kPartitionedElement = 4;
inline constexpr double kRankedWord = 10; ///< a word that is sorted for a correlation of ranks
inline constexpr double kGroupedRow = 1;

// contract (docs/design/contraction.md)
inline constexpr double kBlasCall = 25;
inline constexpr double kBlasMatrixByte = 0.0125;    ///< a byte of a matrix times a vector, by BLAS
inline constexpr double kBlasRealByte = 0.00275;     ///< a product by BLAS, each byte of its type
inline constexpr double kBlasComplexByte = 0.0055;   ///< and of complex numbers
inline constexpr double kLargestCall = 4e6;          ///< multiplications that take about 0.1 ms
inline constexpr double kSmallProduct = 10;          ///< a product by the kernel of small ones
inline constexpr double kSmallProductByte = 0.0019;  ///< its multiplications, each byte
inline constexpr double kLoopedProduct = 0.12;       ///< a multiplication of reals in a loop
inline constexpr double kLoopedComplexProduct = 1.5; ///< and of complex numbers
inline constexpr double kFusedGroup = 60;            ///< a sum in the fused loop
inline constexpr double kFusedSetUp = 1500;          ///< the fused loop, before its first sum
inline constexpr double kCallsSetUp = 700;           ///< calls of BLAS, before the first one
inline constexpr double kCopiedFactor = 0.6;         ///< an element copied in order, or computed
inline constexpr double kStagedResult = 1.2;    ///< an element of the result, put into its place
inline constexpr double kPartElement = 0.5;     ///< of many factors: an element written or read
inline constexpr double kPartStep = 1500;       ///< and a step
inline constexpr double kStoredProduct = 1.5;   ///< and a multiplication with a stored element
inline constexpr double kSparseRowEntry = 1.2;  ///< a stored element of rows times dense ones
inline constexpr double kSparseRowColumn = 0.3; ///< and each column of the matrix
inline constexpr double kSparsePair = 2;        ///< a stored pair times a vector

// statistics
inline constexpr double kMomentsElement = 0.5;
inline constexpr double kPairOfMoments = 0.6; ///< a pair of elements
inline constexpr double kExactElement = 1.5;  ///< of an exact sum

} // namespace purview::engine::costs
