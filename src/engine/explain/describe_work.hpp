#pragma once

#include <purview/evaluation/work.hpp>

#include <string>

namespace purview::inline v0_1::engine {

/// The texts of `explain_assignment`, `explain_reduction`, `explain_scan` and `explain_sort` where
/// no other backend does the work.
std::string describe_assignment(const Operand& source, const Operand& destination);
std::string describe_reduction(const char* what, const work::Fold& fold, const Operand& source);
std::string describe_scan(const char* what, const work::Scan& scan, const Operand& source);
std::string describe_sort(const char* what, const work::Sort& sort, const Operand& source);

} // namespace purview::engine
