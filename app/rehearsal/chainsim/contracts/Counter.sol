// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// A contract that is no token.
contract Counter {
    uint256 public count;

    function add() external {
        count++;
    }
}
