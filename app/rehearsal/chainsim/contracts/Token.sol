// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import "./Erc20.sol";

/// A fixed supply and nothing else: no owner, no mint, no pause, no tax.
contract Token is Erc20 {
    constructor(string memory name_, string memory symbol_, uint256 supply) Erc20(name_, symbol_) {
        _mint(msg.sender, supply);
    }
}
