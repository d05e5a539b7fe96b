#pragma once

// Which sanitizer a test is compiled for: gcc says so with a macro, clang with a feature. Each is 0 or 1.

#if defined(__has_feature)
# define PURVIEW_TEST_HAS_FEATURE(name) __has_feature(name)
#else
# define PURVIEW_TEST_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || PURVIEW_TEST_HAS_FEATURE(address_sanitizer)
# define UNDER_ADDRESS_SANITIZER 1
#else
# define UNDER_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || PURVIEW_TEST_HAS_FEATURE(thread_sanitizer)
# define UNDER_THREAD_SANITIZER 1
#else
# define UNDER_THREAD_SANITIZER 0
#endif

#define UNDER_A_SANITIZER (UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER)
