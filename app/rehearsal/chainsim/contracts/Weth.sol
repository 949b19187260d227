// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import "./Erc20.sol";

/// The chain's coin as an ERC-20, one for one.
contract Weth is Erc20("Wrapped Ether", "WETH") {
    event Deposit(address indexed to, uint256 value);
    event Withdrawal(address indexed from, uint256 value);

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        _mint(msg.sender, msg.value);
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 value) external {
        _burn(msg.sender, value);
        emit Withdrawal(msg.sender, value);
        (bool ok,) = msg.sender.call{value: value}("");
        require(ok, "send");
    }
}
