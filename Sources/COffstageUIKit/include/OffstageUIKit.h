// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What `@UIApplicationMain` calls; defined in Swift. `delegate` is what `NSStringFromClass` has returned.
int UIApplicationMain(int argc, char **argv, void *principal, void *delegate);
